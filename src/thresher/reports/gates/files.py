"""Files of requirements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.parsing import parse_toml, parse_yaml
from thresher.files.texts import whole_text
from thresher.reports.gates.missing_scores import checked_share

_KEY, _MISSING, _CHOOSE_ON = "require", "allow_missing", "choose_on"


@dataclass(frozen=True)
class GateFile:
    """The content of a file of requirements.

    Attributes:
        requirements: the requirements as text.
        allow_missing: share of the scores that may be missing; None if the file does not set it.
        choose_on: `column=value`, the items that `held_out` chooses on; None if the file does not set it.
    """

    requirements: Sequence[str]
    allow_missing: float | None = None
    choose_on: str | None = None


def read_gate_file(path: str | Path) -> GateFile:
    """Read a YAML or TOML file with a list of strings as `require`, and optional settings.

    Raises:
        InputError: if the file cannot be read or contains something else.
    """
    file = Path(path)
    parse = parse_toml if file.suffix.lower() == ".toml" else parse_yaml
    content = parse(whole_text(file), file)
    try:
        stated = isinstance(content, Mapping) and _MISSING in content
        missing = checked_share(content[_MISSING]) if stated else None
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    return GateFile(_requirements(file, content), missing, _choose_on(file, content))


def allowed_by(files: Mapping[str, GateFile]) -> float:
    """Return the share of scores that files allow to be missing; 0 if none of them sets it.

    Args:
        files: path -> content.

    Raises:
        InputError: if two files set different shares.
    """
    share: float | None = _agreed(files, _MISSING)
    return 0.0 if share is None else share


def chosen_by(files: Mapping[str, GateFile]) -> str | None:
    """Return the items that files choose thresholds on; None if none of them sets it.

    Args:
        files: path -> content.

    Raises:
        InputError: if two files set different items.
    """
    chosen: str | None = _agreed(files, _CHOOSE_ON)
    return chosen


def place_of(files: Mapping[str, GateFile], name: str) -> str | None:
    """Return the first file that has a setting, for messages; None if none has it."""
    return next((path for path, file in files.items() if getattr(file, name) is not None), None)


def _agreed(files: Mapping[str, GateFile], name: str) -> Any:
    """The setting of all files that have it."""
    stated = {path: getattr(file, name) for path, file in files.items() if getattr(file, name) is not None}
    if len(set(stated.values())) > 1:
        raise InputError(f"{' and '.join(stated)} differ in {name!r}; give --{name.replace('_', '-')}")
    return next(iter(stated.values()), None)


def _choose_on(file: Path, content: Any) -> str | None:
    if not isinstance(content, Mapping) or _CHOOSE_ON not in content:
        return None
    stated = content[_CHOOSE_ON]
    if not isinstance(stated, str) or "=" not in stated:
        raise InputError(f"{file}: {_CHOOSE_ON} is {stated!r}; give COLUMN=VALUE, for example split=val")
    return stated


def _requirements(file: Path, content: Any) -> list[str]:
    if isinstance(content, Mapping):
        unknown = [str(key) for key in content if key not in (_KEY, _MISSING, _CHOOSE_ON)]
        if unknown:
            raise InputError(f"{file}: {unknown[0]!r} is unknown; give a list of requirements as {_KEY!r}")
        content = content.get(_KEY)
    if not isinstance(content, list) or not content:
        raise InputError(f"{file}: no requirements found; give a list of them as {_KEY!r}")
    for position, entry in enumerate(content, start=1):
        if not isinstance(entry, str):
            raise InputError(f"{file}: requirement {position} is {entry!r}, not a string; put it in quotes")
    return content
