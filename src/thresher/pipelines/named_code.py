"""What a pipeline file may name: classes, so that no file chooses functions for Haystack to call.

Haystack resolves dotted names in a file: classes of components and of nested objects, but also functions, as
tools of agents, callbacks and filters. Its allowlist is one of modules, and some functions of allowed modules
load other pipelines without checks, import files and write them.
"""

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from haystack import component
from haystack.core.serialization_security import DEFAULT_ALLOWED_MODULES

from thresher.errors import InputError
from thresher.plugins import top_package, trusted_packages

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)++")
_FUNCTIONS = frozenset(
    {
        "haystack.components.generators.utils.print_streaming_chunk",
        "haystack.components.agents.state.state_utils.merge_lists",
        "haystack.components.agents.state.state_utils.replace_values",
        "haystack.utils.azure.default_azure_ad_token_provider",
    }
)
"""Functions that files may name: they print, merge values, and get a token that `check_secrets` knows."""


def check_names(components: Mapping[str, Any], where: str) -> None:
    """Raise for a name of a file that is not a class of a component, or a type.

    Args:
        components: name -> dictionary of each component, as the file has it.
        where: the file, for messages.

    Raises:
        InputError: naming the place and the remedy. Raised before any component is created.
    """
    roots = {*DEFAULT_ALLOWED_MODULES, "thresher"} - trusted_packages()
    for place, name in _names(components, ""):
        if top_package(name) in roots and name not in _FUNCTIONS and not _is_harmless(name):
            raise InputError(
                f"{where}: {place} is {name}, which is code that a file may not choose; name classes of "
                "components, or build the pipeline in Python and pass the Pipeline"
            )


def _names(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield place and text of each dotted name in a file, also within types such as `list[a.B]`."""
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield from _names(entry, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list | tuple | set):
        for number, entry in enumerate(value):
            yield from _names(entry, f"{place}[{number}]")
    elif isinstance(value, str) and re.fullmatch(r"[\w.\[\], |]+", value.strip()):
        yield from ((place, match[0]) for match in _NAME.finditer(value))


def _is_harmless(name: str) -> bool:
    """Whether a name is that of a class which files may name, or of nothing at all."""
    if name in component.registry:
        return True
    found = _resolved(name)
    if found is None:
        return True  # a path, or a misspelt class, which loading reports
    if top_package(name) == "typing":
        return not callable(found) or name.rpartition(".")[2][:1].isupper()
    if not isinstance(found, type):
        return isinstance(found, ModuleType)
    own = top_package(found.__module__) == "thresher"
    return (
        not own or callable(getattr(found, "run", None)) or found.__module__.startswith("thresher.results.")
    )


def _resolved(name: str) -> Any:
    """What Haystack would find under a name; None for nothing."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found: Any = import_module(".".join(parts[:length]))
        except Exception:  # noqa: BLE001, S112  # modules may raise anything
            continue
        for part in parts[length:]:
            found = getattr(found, part, None)
        return found
    return None
