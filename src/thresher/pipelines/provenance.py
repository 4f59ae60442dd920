"""Provenance of a run: versions, source state, arguments, time. Signatures decide what is comparable."""

import hashlib
import inspect
import platform
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.native.library import kernels_in_use
from thresher.plugins import top_package
from thresher.results.redaction import redacted
from thresher.version import __version__

if TYPE_CHECKING:
    from haystack import Pipeline

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_MOST = 1 << 23
"""Bytes that are read of a file of git: 100,000 references."""
_PACKAGES = ("haystack-ai", "numpy", "nltk", "rapidfuzz", "pandas", "pyarrow")


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def provenance() -> dict[str, Any]:
    """Versions, platform, kernels, and the commit of the repository of the working folder, if any."""
    return {
        "thresher": __version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "kernels": kernels_in_use(),
        "packages": {name: known for name in _PACKAGES if (known := _version(name))},
        "git": _git(),
    }


def arguments(function: Callable[..., Any], given: Mapping[str, Any], pipeline: "Pipeline") -> dict[str, Any]:
    """Given and default arguments of the function and of the metrics.

    An argument given with its default value counts as defaulted.

    Returns:
        `given`: name -> value, a metric's as `component.argument`; `defaulted`: the others, as texts
        `name=value`. A credential is its fingerprint.
    """
    signature = inspect.signature(function).parameters
    values = [(name, value, signature[name].default) for name, value in given.items()]
    for name in pipeline.graph.nodes:
        part = pipeline.get_component(name)
        for option, default in _defaults(part).items():
            if hasattr(part, option):
                values.append((f"{name}.{option}", getattr(part, option), default))
    return {
        "given": {
            name: redacted(_plain(value), name.rpartition(".")[2])
            for name, value, default in values
            if not _equal(value, default)
        },
        "defaulted": [f"{name}={value!r}" for name, value, default in values if _equal(value, default)],
    }


def plugin_code(pipeline: "Pipeline") -> dict[str, str]:
    """Module -> hash of its file, for components of other packages: signatures do not cover their code."""
    modules = {type(pipeline.get_component(name)).__module__ for name in pipeline.graph.nodes}
    others = sorted(module for module in modules if top_package(module) not in {"thresher", "haystack"})
    codes = {name: module_code(name) for name in others}
    return {name: code for name, code in codes.items() if code}


def module_code(name: str) -> str:
    """Hash of an imported module's file; empty if it has none."""
    file = Path(getattr(sys.modules.get(name), "__file__", None) or "")
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file.is_file() else ""


def usage_since(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any] | None:
    """Use of judges between two states of an account; None without calls and answers."""
    usage = all_usage_since(before, after)
    return usage if any(usage.get(name) for name in ("calls", "known", "answers")) else None


def all_usage_since(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The same, also if no request was sent: requests may have been refused, or lost with their judge."""
    return {key: _difference(before.get(key), value) for key, value in after.items()}


def _difference(before: Any, after: Any) -> Any:
    if isinstance(after, Mapping):
        counts = {key: count - (before or {}).get(key, 0) for key, count in after.items()}
        return {key: count for key, count in counts.items() if count}
    if isinstance(after, int | float):
        return round(after - (before or 0), 9)
    return after


def _defaults(part: Any) -> dict[str, Any]:
    """Default values of a component's options; `inspect.Parameter.empty` for required ones.

    Thresher's components may store an option in another form (None as an empty list, say), so the defaults
    are read from a new instance. Others may be expensive to create, so their signatures must do.
    """
    parameters = dict(list(inspect.signature(type(part).__init__).parameters.items())[1:])
    defaults = {option: parameter.default for option, parameter in parameters.items()}
    if type(part).__module__.split(".")[0] != __name__.split(".")[0]:
        return defaults
    required = [option for option, default in defaults.items() if default is inspect.Parameter.empty]
    try:
        fresh = type(part)(**{option: getattr(part, option) for option in required})
    except Exception:  # noqa: BLE001  # options that depend on each other, or a missing extra
        return defaults
    stored = {option: getattr(fresh, option, default) for option, default in defaults.items()}
    return stored | dict.fromkeys(required, inspect.Parameter.empty)


def _equal(value: Any, default: Any) -> bool:
    try:
        return type(value) is type(default) and bool(value == default)
    except Exception:  # noqa: BLE001  # the comparison of a user's objects may raise anything
        return False


def _plain(value: Any) -> Any:
    """A value for the manifest; objects are replaced by their type, since they may hold a key."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return str(value) if isinstance(value, Path) else type(value).__name__


@cache
def _version(package: str) -> str | None:
    """The installed version; cached, since reading the metadata anew took a tenth of a small evaluation."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git() -> dict[str, str] | None:
    """The commit of the working folder's repository; None outside a repository, or before its first commit.

    Files are read as text, and only a commit is taken from them: git itself would run programs that the
    settings of a foreign repository name.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        git = folder / ".git"
        try:
            if git.is_file():  # of a linked working tree
                linked = _line(git, "gitdir: ")
                git = folder / linked if linked else git
            if git.is_dir():
                commit = _commit(git.resolve())
                return {"commit": commit} if commit else None
        except (OSError, ValueError, RuntimeError):  # no permission, half a character, a loop of links
            return None
    return None


def _commit(git: Path) -> str:
    """The commit that a folder `.git` has checked out; empty if it cannot be read."""
    head = _line(git / "HEAD")
    name = head.removeprefix("ref: ")
    if name == head:
        return head if _COMMIT.fullmatch(head) else ""
    if not name.startswith("refs/") or ".." in name:
        return ""
    shared = (git / (_line(git / "commondir") or ".")).resolve()
    packed = (line.partition(" ") for line in _lines(shared / "packed-refs"))
    commit = _line(shared / name) or next((known for known, _, ref in packed if ref == name), "")
    return commit if _COMMIT.fullmatch(commit) else ""


def _line(file: Path, before: str = "") -> str:
    """The first line of a file after a prefix; empty without the prefix, or for the address of a server."""
    line = next(iter(_lines(file)), "")
    rest = line.removeprefix(before) if line.startswith(before) else ""
    return "" if rest[:2] in ("//", r"\\") else rest  # Windows would send the user's name to the server


def _lines(file: Path) -> list[str]:
    if file.resolve() != file or not file.is_file():  # a link to another file; a pipe would never end
        return []
    with file.open("rb") as content:
        return content.read(_MOST).decode("utf-8", "replace").splitlines()
