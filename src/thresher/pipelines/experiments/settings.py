"""Change a pipeline's definition by settings: values by the paths of what they change."""

import copy
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from thresher.errors import InputError
from thresher.pipelines.experiments.levels import kind_of
from thresher.pipelines.experiments.paths import SettingPath
from thresher.pipelines.sent_secrets import class_named
from thresher.results.suggestions import suggest

Settings = Mapping[str, Any]
"""Path -> value."""
Sockets = Mapping[str, Mapping[str, Any]]
"""Component -> its open inputs, as `Pipeline.inputs` returns them."""
_ENTRIES = {"type", "init_parameters"}
_SHOWN = 12
"""Parameters that a message lists; generators have up to 20."""


@dataclass(frozen=True)
class EditedPipeline:
    """A pipeline's definition with settings applied.

    Attributes:
        data: as `Pipeline.to_dict` returns it.
        inputs: component -> run-time input -> value, the same for every question.
    """

    data: dict[str, Any]
    inputs: dict[str, dict[str, Any]] = field(default_factory=dict)


def edit(data: Mapping[str, Any], settings: Settings, sockets: Callable[[], Sockets]) -> EditedPipeline:
    """Return a copy of a definition with settings applied; whole components before their parameters.

    Args:
        data: as `Pipeline.to_dict` returns it.
        settings: path -> value.
        sockets: returns the open inputs of the unchanged pipeline; called only for a path that is not an init
            parameter.

    Raises:
        InputError: naming the path, if a component, parameter or run-time input does not exist, or a value
            has no keys.
    """
    edited = EditedPipeline(copy.deepcopy(dict(data)))
    for text, value in sorted(settings.items(), key=lambda item: item[0].count(".")):
        _set(edited, SettingPath.parse(text), copy.deepcopy(value), sockets)
    return edited


def _set(edited: EditedPipeline, path: SettingPath, value: Any, sockets: Callable[[], Sockets]) -> None:
    components = edited.data["components"]
    if path.component not in components:
        raise unknown_component(path, components)
    part = components[path.component]
    if not path.keys:
        components[path.component] = _whole_component(path, value)
    elif path.keys[0] in _parameters(part, path.keys[0]):
        _set_parameter(part, path, path.keys, value)
    elif path.keys[0] in sockets().get(path.component, {}):
        _set_key(edited.inputs.setdefault(path.component, {}), path, path.keys, value)
    else:
        raise _unknown_parameter(path, path.keys[0], part, list(sockets().get(path.component, {})))


def unknown_component(path: SettingPath, components: Mapping[str, Any]) -> InputError:
    """The error for a path whose component does not exist."""
    likely = suggest(path.component, components)
    return InputError(
        f"{path}: the pipeline has no component {path.component!r}{likely}; it has {', '.join(components)}"
    )


def _whole_component(path: SettingPath, value: Any) -> dict[str, Any]:
    if not is_definition(value) or value.keys() - _ENTRIES:
        raise InputError(
            f"{path}: a component is replaced by {{type: MODULE.CLASS, init_parameters: {{...}}}}, "
            f"not by {kind_of(value)}; write {path}.PARAMETER to change one parameter"
        )
    options: Mapping[str, Any] = value.get("init_parameters") or {}
    return {"type": value["type"], "init_parameters": dict(options)}


def _set_parameter(part: dict[str, Any], path: SettingPath, keys: tuple[str, ...], value: Any) -> None:
    """Set a parameter of a component, or of an object among its parameters."""
    if keys[0] not in _parameters(part, keys[0]):
        raise _unknown_parameter(path, keys[0], part, [])
    options: dict[str, Any] = {**(part.get("init_parameters") or {})}
    part["init_parameters"] = options
    inner = options.get(keys[0])
    if len(keys) > 1 and _is_object(inner):
        options[keys[0]] = inner = dict(inner)
        _set_parameter(inner, path, keys[1:], value)
    else:
        _set_key(options, path, keys, value)


def _set_key(place: dict[str, Any], path: SettingPath, keys: tuple[str, ...], value: Any) -> None:
    for key in keys[:-1]:
        inner = {} if place.get(key) is None else place[key]
        if not isinstance(inner, Mapping):
            raise InputError(f"{path}: {key} is {kind_of(inner)}, which has no keys")
        place[key] = {**inner}
        place = place[key]
    place[keys[-1]] = value


def is_definition(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a mapping with a type and, if there are any, a mapping of init parameters."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("type"), str)
        and isinstance(value.get("init_parameters") or {}, Mapping)
    )


def _is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a serialised object with parameters, such as a document store."""
    return is_definition(value) and "init_parameters" in value


def _parameters(part: Mapping[str, Any], name: str) -> list[str]:
    """Init parameters of a component; with `name` if it accepts every name, or its class is unknown."""
    kind = class_of(str(part.get("type")))
    given = list(part.get("init_parameters") or {})
    if kind is None:
        return [*given, name]
    _, *parameters = inspect.signature(kind.__init__).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return [*given, name]
    return [parameter.name for parameter in parameters]


def class_of(kind: str) -> type[Any] | None:
    """A loaded class by its dotted name, else a class that a file may import; None if neither exists."""
    module, _, name = kind.rpartition(".")
    loaded = getattr(sys.modules.get(module), name, None)
    return loaded if isinstance(loaded, type) else class_named(kind)


def _unknown_parameter(
    path: SettingPath, key: str, part: Mapping[str, Any], sockets: list[str]
) -> InputError:
    kind = str(part.get("type")).rpartition(".")[2]
    known = [name for name in dict.fromkeys([*_parameters(part, ""), *sockets]) if name]
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    listed = ", ".join(known[:_SHOWN]) or "none"
    return InputError(
        f"{path}: {kind} has no parameter or open input {key!r}{suggest(key, known)}; it has {listed}{more}"
    )
