"""The grid of an experiment: factors with levels, conditions that exclude, and named configurations."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.parsing import parse_json, parse_yaml
from thresher.files.texts import whole_text
from thresher.pipelines.experiments.configuration import Configuration
from thresher.pipelines.experiments.exclusions import without
from thresher.pipelines.experiments.levels import (
    canonical,
    is_plain,
    kind_of,
    labels_of,
    read_level,
    repeated,
)
from thresher.pipelines.experiments.paths import SettingPath
from thresher.pipelines.experiments.settings import is_definition
from thresher.results.redaction import redacted
from thresher.results.suggestions import suggest

MOST = 10_000
"""Maximum configurations of an experiment; more are a mistake, and their product would fill the memory."""

UNCHANGED = "unchanged"
"""Name of the configuration without settings."""


@dataclass(frozen=True)
class _Level:
    """One level of a factor; `part` is its part of a configuration's name."""

    label: str
    settings: dict[str, Any]
    part: str


@dataclass(frozen=True)
class _Factor:
    """Settings that vary together; the name is a path, or a free name for levels of several paths."""

    name: str
    levels: tuple[_Level, ...]


@dataclass(frozen=True)
class GridReader:
    """Reads what a user varies.

    Attributes:
        is_address: whether a word without a dot names something to set: a component, or a factory's keyword.
        known: such words, for suggestions.
        folder: where the files of levels are.
        is_component: whether a word names a component, which only a definition replaces; None: no word does.
    """

    is_address: Callable[[str], bool]
    known: Collection[str] = ()
    folder: Path = field(default_factory=Path)
    is_component: Callable[[str], bool] | None = None

    def configurations(
        self,
        vary: Mapping[str, Any] | None = None,
        exclude: Sequence[Any] = (),
        named: Any = None,
    ) -> list[Configuration]:
        """Return the cross product of all factors without what is excluded, then the named configurations.

        If nothing varies, the pipeline as it is is the only configuration.

        Args:
            vary: path -> list of values, or label -> value; or a free name -> settings of several paths.
            exclude: conditions: texts such as `retriever.top_k < ranker.top_k`, or mappings path -> value or
                list of values.
            named: name -> settings, a list of settings, or a YAML or JSON file of one of them.

        Raises:
            InputError: for levels of an unusable form, two levels or configurations that are equal, or if
                none is left.
        """
        factors = self._factors(vary or {})
        count = math.prod(len(factor.levels) for factor in factors)
        if count > MOST:
            raise InputError(
                f"the grid has {counted(count, 'configuration', form=',')}; {MOST:,} are possible: vary less"
            )
        cells = [_configuration(cell, factors) for cell in product(*(factor.levels for factor in factors))]
        remaining = without(cells, exclude) if factors else []
        every = [*remaining, *self._named(named)]
        if not every:
            if factors:
                raise InputError("no configuration is left: `exclude` matches all of them")
            return [Configuration(UNCHANGED, {})]
        _check_distinct(every)
        return every

    def _factors(self, vary: Mapping[str, Any]) -> list[_Factor]:
        if not isinstance(vary, Mapping):
            raise InputError(f"vary is {type(vary).__name__}; give a mapping PATH -> list of values")
        shown = short_names(list(vary))
        return [_Factor(name, self._levels(name, shown[name], levels)) for name, levels in vary.items()]

    def _levels(self, name: str, shown: str, levels: Any) -> tuple[_Level, ...]:
        if isinstance(levels, str | bytes) or not isinstance(levels, Sequence | Mapping) or not levels:
            raise InputError(f"vary {name}: give a list of values, not {kind_of(levels)}")
        values = list(levels.values()) if isinstance(levels, Mapping) else list(levels)
        if again := repeated(values):
            raise InputError(f"vary {name}: {canonical(again[0])} is given twice; give each level once")
        path = SettingPath.parse(name)
        is_path = bool(path.keys) or path.side is not None or self.is_address(name)
        settings = [
            {name: self._read(path, value)} if is_path else self._coupled(name, value) for value in values
        ]
        for setting in settings:
            _check_values(setting, named=is_path and isinstance(levels, Mapping))
        if isinstance(levels, Mapping):
            labels = [str(label) for label in levels]
        else:
            labels = labels_of(values) if is_path else distinct_names(settings)
        names_paths = not is_path and not isinstance(levels, Mapping)
        parts = labels if names_paths else [f"{shown}={label}" for label in labels]
        return tuple(map(_Level, labels, settings, parts))

    def _coupled(self, name: str, level: Any) -> dict[str, Any]:
        """The settings of a level that sets several paths."""
        if not isinstance(level, Mapping) or not level:
            raise InputError(
                f"vary {name}: no component has this name{suggest(name, self.known)}, and {kind_of(level)} "
                "is not a mapping PATH -> value; write COMPONENT.PARAMETER"
            )
        return {str(path): self._read(SettingPath.parse(str(path)), value) for path, value in level.items()}

    def _read(self, path: SettingPath, value: Any) -> Any:
        level = read_level(value, self.folder)
        is_whole = self.is_component is not None and not path.keys and self.is_component(path.component)
        if level is not value and is_whole and not is_definition(level):
            raise InputError(
                f"{path}: {value} holds {kind_of(level)}; a component is replaced by a YAML file of "
                "type: MODULE.CLASS and init_parameters: {...}"
            )
        return level

    def _named(self, named: Any) -> list[Configuration]:
        content = _content(named)
        if content is None:
            return []
        if isinstance(content, Mapping):
            settings, names = list(content.values()), [str(name) for name in content]
        elif isinstance(content, Sequence) and not isinstance(content, str):
            settings, names = list(content), []
        else:
            raise InputError(
                f"configurations are {type(content).__name__}; give a mapping NAME -> settings, or a list"
            )
        for entry in settings:
            if not isinstance(entry, Mapping | None):
                raise InputError(f"a configuration is {kind_of(entry)}; give a mapping PATH -> value")
        read = [self._coupled("configurations", entry) if entry else {} for entry in settings]
        for setting in read:
            _check_values(setting, named=False)
        return [Configuration(*pair) for pair in zip(names or distinct_names(settings), read, strict=True)]


def _check_values(settings: Mapping[str, Any], *, named: bool) -> None:
    """Raise for values that cannot be stored with the run: credentials, and objects without a name.

    Args:
        settings: path -> value.
        named: whether the level has a name, which is stored in place of an object.
    """
    for path, value in settings.items():
        if not is_plain(value):
            if not named:
                raise InputError(
                    f"{path}: {kind_of(value)} is not plain data; name the values: {{NAME: value, ...}}"
                )
        elif canonical(redacted(value, path.rpartition(".")[2])) != canonical(value):
            raise InputError(
                f"{path}: the value is a credential, which would be stored; read it from the environment: "
                "{type: env_var, env_vars: [VARIABLE]}"
            )


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """The last part of each path where no other path ends in it, else the whole path.

    >>> short_names(["retriever.top_k", "ranker.top_k", "llm.model"])
    {'retriever.top_k': 'retriever.top_k', 'ranker.top_k': 'ranker.top_k', 'llm.model': 'model'}
    """
    ends = [path.rpartition(".")[2] for path in paths]
    return {path: end if ends.count(end) == 1 else path for path, end in zip(paths, ends, strict=True)}


def distinct_names(every: Sequence[Mapping[str, Any] | None]) -> list[str]:
    """Names of settings that have none: their paths and values."""
    paths = list(dict.fromkeys(path for settings in every for path in settings or {}))
    shown = short_names(paths)
    labels = {path: _labels_at(path, every) for path in paths}
    return [
        ",".join(
            f"{shown[path]}={labels[path][canonical(value)]}" for path, value in (settings or {}).items()
        )
        or UNCHANGED
        for settings in every
    ]


def _labels_at(path: str, every: Sequence[Mapping[str, Any] | None]) -> dict[str, str]:
    """Value as JSON -> label, for all values of a path."""
    values = {
        canonical(settings[path]): settings[path] for settings in every if settings and path in settings
    }
    return dict(zip(values, labels_of(list(values.values())), strict=True))


def _configuration(cell: Sequence[_Level], factors: Sequence[_Factor]) -> Configuration:
    settings: dict[str, Any] = {}
    for level, factor in zip(cell, factors, strict=True):
        for path, value in level.settings.items():
            if path in settings:
                raise InputError(f"vary {factor.name}: {path} is set by another factor too; vary it once")
            settings[path] = value
    levels = {factor.name: level.label for factor, level in zip(factors, cell, strict=True)}
    return Configuration(",".join(level.part for level in cell), settings, levels)


def _content(named: Any) -> Any:
    """What `configurations` holds, or its file does."""
    if not isinstance(named, str | Path):
        return named
    if not Path(named).is_file():
        raise InputError(f"configurations: the file {named} does not exist")
    text = whole_text(Path(named))
    return parse_json(text, named) if Path(named).suffix == ".json" else parse_yaml(text, named)


def _check_distinct(configurations: Sequence[Configuration]) -> None:
    names: set[str] = set()
    settings: dict[str, str] = {}
    for configuration in configurations:
        if configuration.name in names:
            raise InputError(f"two configurations are called {configuration.name!r}: rename one")
        names.add(configuration.name)
        same = settings.setdefault(canonical(configuration.described), configuration.name)
        if same != configuration.name:
            raise InputError(f"{same} and {configuration.name} have the same settings: remove one")
