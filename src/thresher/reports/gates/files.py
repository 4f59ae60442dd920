"""Requirements kept in a file."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.reports.gates.shortfall import checked_share

_KEY, _MISSING = "require", "allow_missing"


@dataclass(frozen=True)
class GateFile:
    """What a file asks of a run.

    Attributes:
        requirements: as they are written.
        allow_missing: share of the scores that may be missing; None where the file does not say.
    """

    requirements: Sequence[str]
    allow_missing: float | None = None


def read_gate_file(path: str | Path) -> GateFile:
    """What a YAML or TOML file asks: a list of texts under `require`, and `allow_missing` if wanted.

    Raises:
        InputError: if the file cannot be read or holds something else.
    """
    file = Path(path)
    try:
        found = _parsed(file)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is no UTF-8 text: save it as UTF-8") from error
    except ValueError as error:  # tomllib's errors are ValueErrors
        raise InputError(f"{file} cannot be read: {' '.join(str(error).split())}") from error
    try:
        missing = checked_share(found[_MISSING]) if isinstance(found, Mapping) and _MISSING in found else None
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    return GateFile(_texts(file, found), missing)


def allowed_by(files: Mapping[str, GateFile]) -> float:
    """The share of scores that may be missing, of the files that say one; 0 if none does.

    Args:
        files: path -> what the file asks.

    Raises:
        InputError: if two files say different shares.
    """
    stated = {path: file.allow_missing for path, file in files.items() if file.allow_missing is not None}
    if len(set(stated.values())) > 1:
        raise InputError(f"{' and '.join(stated)} differ in {_MISSING!r}; give --allow-missing")
    return next(iter(stated.values()), 0.0)


def _parsed(file: Path) -> Any:
    text = file.read_text(encoding="utf-8")
    if file.suffix.lower() == ".toml":
        return tomllib.loads(text)
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _texts(file: Path, found: Any) -> list[str]:
    if isinstance(found, Mapping):
        strange = [str(key) for key in found if key not in (_KEY, _MISSING)]
        if strange:
            raise InputError(f"{file}: {strange[0]!r} is unknown; give a list of requirements as {_KEY!r}")
        found = found.get(_KEY)
    if not isinstance(found, list) or not found:
        raise InputError(f"{file}: no requirements found; give a list of them as {_KEY!r}")
    for position, entry in enumerate(found, start=1):
        if not isinstance(entry, str):
            raise InputError(f"{file}: requirement {position} is {entry!r}, no text; put it in quotes")
    return found
