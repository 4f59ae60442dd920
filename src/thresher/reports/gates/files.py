"""Requirements kept in a file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InputError

_KEY = "require"


def read_requirements(path: str | Path) -> list[str]:
    """The requirements of a YAML or TOML file: a list of texts under `require`.

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
    return _texts(file, found)


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
        strange = [str(key) for key in found if key != _KEY]
        if strange:
            raise InputError(f"{file}: {strange[0]!r} is unknown; give a list of requirements as {_KEY!r}")
        found = found.get(_KEY)
    if not isinstance(found, list) or not found:
        raise InputError(f"{file}: no requirements found; give a list of them as {_KEY!r}")
    for position, entry in enumerate(found, start=1):
        if not isinstance(entry, str):
            raise InputError(f"{file}: requirement {position} is {entry!r}, no text; put it in quotes")
    return found
