"""Packs of templates: texts by the names of the prompts, from a mapping, a folder or an installed package."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.parsing import parse_yaml
from thresher.files.texts import whole_text
from thresher.files.writing import explain_write_errors, replace_file
from thresher.judges.prompt import FOLDER
from thresher.results.choices import check_choice, unknown_choice

SYSTEM = "system"
"""Name of the system message in a mapping; `system.txt` in a folder."""
LABELS = "labels.yaml"
_ENDING = ".jinja"
_SYSTEM_FILE = "system.txt"
_OF_PROBE = "probe/"
"""Prompts that belong to no metric."""
_RESOURCE = re.compile(r"([A-Za-z_][\w.]+):([^\\:]+)")
"""`package:path`; a name of one letter is a drive of Windows."""
_BOOLEANS = {True: "yes", False: "no"}


@dataclass(frozen=True)
class TemplatePack:
    """Templates that belong together.

    Attributes:
        templates: name of a prompt -> template; `system` -> the system message.
        labels: label of a reply -> word for it in these templates.
        where: where they are from, for messages.
    """

    templates: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    where: str = "templates"


Templates = Mapping[str, Any] | str | Path | TemplatePack
"""Templates by the names of the prompts, a folder of them, or a pack."""


def read_pack(templates: Templates) -> TemplatePack:
    """Return templates from a mapping, or from a folder with files of the shipped names.

    Args:
        templates: name -> text, file or `package:file`; or a folder or `package:folder` with files such as
            `valor/faithfulness.jinja`, `system.txt` and `labels.yaml`; or a pack. A text contains `{{`.

    Raises:
        InputError: if a file cannot be read, a folder has no template, or a name misspells a shipped one.
    """
    if isinstance(templates, TemplatePack):
        return templates
    if isinstance(templates, Mapping):
        return TemplatePack({str(name): _text(str(name), value) for name, value in templates.items()})
    where = str(templates)
    folder = _path(templates)
    if not folder.is_dir():
        raise InputError(f"templates: {where} is not a folder; give a folder of templates, or step: template")
    texts = {_name(path, folder): whole_text(path) for path in sorted(folder.rglob(f"*{_ENDING}"))}
    for name in texts:
        _check_name(name, where)
    if not texts:
        raise InputError(
            f"templates: {where} holds no file *{_ENDING}; `thresher prompts export` makes such a folder"
        )
    system = folder / _SYSTEM_FILE
    if system.is_file():
        texts[SYSTEM] = whole_text(system)
    return TemplatePack(texts, _labels_in(folder / LABELS), where)


def read_labels(labels: Any, where: object = "labels") -> dict[str, str]:
    """Return a map of labels; YAML reads an unquoted yes and no as true and false.

    Raises:
        InputError: for anything but texts, and for two labels with the same word.
    """
    if not isinstance(labels, Mapping) or not all(
        isinstance(word, str) and word.strip() for word in labels.values()
    ):
        raise InputError(f"{where} must map labels to words, e.g. {{yes: ja, no: nein}}")
    words = {
        _BOOLEANS[label] if isinstance(label, bool) else str(label): word.strip()
        for label, word in labels.items()
    }
    folded = [word.casefold() for word in words.values()]
    if twice := next((word for word in words.values() if folded.count(word.casefold()) > 1), None):
        raise InputError(f"{where}: two labels have the word {twice!r}; use different words")
    return words


@cache
def shipped_names() -> tuple[str, ...]:
    """Names of the shipped prompts, e.g. `valor/faithfulness`."""
    names = (_name(path, FOLDER) for path in FOLDER.rglob(f"*{_ENDING}"))
    return tuple(sorted(name for name in names if not name.startswith(_OF_PROBE)))


def export_templates(folder: Path, origins: Collection[str] = (), *, overwrite: bool = False) -> list[Path]:
    """Write the shipped prompts of some or all origins, and the system message, as a pack.

    Returns:
        The files.

    Raises:
        InputError: for an unknown origin, and for a file that exists, unless `overwrite` is set.
    """
    known = list(dict.fromkeys(name.partition("/")[0] for name in shipped_names()))
    for origin in origins:
        check_choice("origin", origin, known)
    names = [name for name in shipped_names() if name.partition("/")[0] in (origins or known)]
    files = [f"{name}{_ENDING}" for name in names] + [_SYSTEM_FILE]
    present = next((name for name in files if (folder / name).exists()), None)
    if present is not None and not overwrite:
        raise InputError(f"{folder / present} exists: give another folder, or --overwrite")
    for name in files:
        with explain_write_errors(folder / name, InputError):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, whole_text(FOLDER / name))
    return [folder / name for name in files]


def _labels_in(path: Path) -> dict[str, str]:
    return read_labels(parse_yaml(whole_text(path), path), path) if path.is_file() else {}


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix().removesuffix(_ENDING)


def _check_name(name: str, where: str) -> None:
    """Raise for an unknown name in the folder of a shipped origin; other folders may be a plugin's."""
    origin = name.partition("/")[0]
    known = shipped_names()
    if name not in known and any(other.startswith(f"{origin}/") for other in known):
        raise unknown_choice(f"{where}: template {name!r}", name, known)


def _text(name: str, value: Any) -> str:
    """The text of one template: itself, or the content of a file."""
    text = str(value) if isinstance(value, Path | str) else ""
    if not text.strip():
        raise InputError(f"templates[{name!r}] must be a template, a file or package:file")
    if isinstance(value, str) and re.search(r"\s" if name == SYSTEM else r"\{\{|\{\w+\}", text):
        return text
    path = _path(value)
    if not path.is_file():
        raise InputError(
            f"templates[{name!r}]: {text[:80]!r} is not a file, and has no {{{{ variable }}}} of a template"
        )
    return whole_text(path)


def _path(value: str | Path) -> Path:
    """A path, or that of a resource of an installed package.

    Raises:
        InputError: if the package is missing, or is not installed as files.
    """
    match = _RESOURCE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return Path(value)
    top, *inner = match[1].split(".")
    try:
        spec = find_spec(top)  # imports nothing: a pipeline file may name any module
    except ValueError:
        spec = None
    folders = [Path(place).joinpath(*inner) for place in (spec and spec.submodule_search_locations) or ()]
    root = next((folder for folder in folders if folder.is_dir()), None)
    if root is None:
        raise InputError(f"templates: {value}: no package {match[1]} is installed as files; give a folder")
    return root / match[2]
