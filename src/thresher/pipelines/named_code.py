"""What a pipeline file may name: classes, so that no file chooses functions for Haystack to call.

Haystack resolves dotted names in a file: classes of components and of nested objects, but also functions, as
tools of agents, callbacks and filters. Its allowlist is one of modules, and some functions of allowed modules
load other pipelines without checks, import files and write them. A class in the place of a function is called
too, with arguments that the file chooses, and some of these switch a sandbox off.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

from haystack.core.serialization_security import DEFAULT_ALLOWED_MODULES
from haystack.utils import deserialize_callable

from thresher.errors import InputError
from thresher.plugins import top_package, trusted_packages

_ROOTS = frozenset({*DEFAULT_ALLOWED_MODULES, "thresher"})
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*+(?:\.[^\W\d]\w*+)++")
_FUNCTIONS = frozenset(
    {
        "haystack.components.generators.utils.print_streaming_chunk",
        "haystack.components.agents.state.state_utils.merge_lists",
        "haystack.components.agents.state.state_utils.replace_values",
        "haystack.utils.azure.default_azure_ad_token_provider",
    }
)
"""Functions that files may name: they print, merge values, and get a token that `check_secrets` knows."""
_REFUSED = frozenset({"FileSystemToolResultStore", "StdioServerInfo"})
"""Classes of Haystack whose objects write files anywhere, or start programs, by their options alone."""
_DATA = ("builtins", "typing", "collections", "haystack.dataclasses")
"""Modules of types that do no harm when they are called."""
_REMOTE = "trust_remote_code"


def check_names(components: Mapping[str, Any], where: str) -> None:
    """Raise for a name of a file that is not a class of a component, or a type.

    Args:
        components: name -> dictionary of each component, as the file has it.
        where: the file, for messages.

    Raises:
        InputError: naming the place and the remedy. Raised before any component is created.
    """
    trusted = trusted_packages() - _ROOTS
    for place, name, is_class in _names(components, "", is_class=False):
        found = None if name in _FUNCTIONS else _resolved(name, trusted)
        if name == _REMOTE or not _is_harmless(found, top_package(name), is_class=is_class):
            raise InputError(
                f"{where}: {place} is {name}, which is code that a file may not choose; name classes of "
                "components, or build the pipeline in Python and pass the Pipeline"
            )


def _names(value: Any, place: str, *, is_class: bool) -> Iterator[tuple[str, str, bool]]:
    """Yield each dotted name in a file, also within types such as `list[a.B]`.

    Yields:
        Place, name, and whether the option is a class or a type, as `type` and `output_type` are.
    """
    if isinstance(value, Mapping):
        for name, entry in value.items():
            inner = f"{place}.{name}" if place else str(name)
            yield from _names(entry, inner, is_class="type" in str(name))
            if name == _REMOTE and entry:
                yield place, _REMOTE, False
    elif isinstance(value, list | tuple | set):
        for number, entry in enumerate(value):
            yield from _names(entry, f"{place}[{number}]", is_class=is_class)
    elif isinstance(value, str) and re.fullmatch(r"[\w.\[\], |]+", value.strip()):
        yield from ((place, match[0], is_class) for match in _NAME.finditer(value))


def _is_harmless(found: Any, root: str, *, is_class: bool) -> bool:
    """Whether a file may name something.

    Args:
        found: what Haystack would find; None for a path, or a misspelt class, which loading reports.
        root: first part of the name.
        is_class: whether Haystack expects a class there, and creates objects of it with options of the file.
    """
    if found is None or isinstance(found, ModuleType):
        return True
    module = getattr(found, "__module__", None) or ""
    if top_package(module) not in _ROOTS:
        return bool(module) and root not in _ROOTS  # of a plugin; or refused by Haystack
    if not isinstance(found, type):
        return type(found).__module__ == "typing"  # a special form, such as `Optional`
    if module.startswith(_DATA) or issubclass(found, Enum):
        return True
    runs, stored = callable(getattr(found, "run", None)), hasattr(found, "from_dict")
    own = runs or module.startswith("thresher.results.")
    allowed = own if top_package(module) == "thresher" else runs or stored
    return is_class and allowed and found.__name__ not in _REFUSED


def _resolved(name: str, trusted: Collection[str]) -> Any:
    """What Haystack would find under a name; None for nothing."""
    if top_package(name) not in {*_ROOTS, *trusted}:
        try:
            return deserialize_callable(name)  # of a module that the caller allowed in Haystack
        except Exception:  # noqa: BLE001  # it is refused when the file is loaded, too
            return None
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: Any = import_module(".".join(parts[:length]))
        except Exception:  # noqa: BLE001, S112  # modules may raise anything
            continue
        for part in parts[length:]:
            found = getattr(found, part, None)
        # The decorators `tool` and `hook` make objects, of which Haystack takes the function.
        if not callable(found) and top_package(type(found).__module__) == "haystack":
            found = getattr(found, "function", None) or getattr(found, "async_function", None) or found
        return found
    return None
