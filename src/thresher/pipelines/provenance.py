"""How a run came about: versions, source state, arguments, time. Provenance explains; signatures compare."""

import inspect
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.results.redaction import redacted
from thresher.version import __version__

_PACKAGES = ("haystack-ai", "numpy", "nltk", "rapidfuzz", "pandas", "pyarrow")


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def provenance() -> dict[str, Any]:
    """Versions, platform and the state of the working folder's git repository, if it is one."""
    return {
        "thresher": __version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "git": _git(),
    }


def arguments(function: Callable[..., Any], given: Mapping[str, Any], pipeline: Pipeline) -> dict[str, Any]:
    """What was chosen and what was left as it is: the function's own arguments and those of the metrics.

    An argument that was written out with its default value counts as defaulted; it changes nothing.

    Returns:
        `given`: name -> value, a metric's as `component.argument`; `defaulted`: the others, as texts
        `name=value`. A credential is its fingerprint.
    """
    signature = inspect.signature(function).parameters
    every = [(name, value, signature[name].default) for name, value in given.items()]
    for name in pipeline.graph.nodes:
        part = pipeline.get_component(name)
        for option, default in _defaults(part).items():
            if hasattr(part, option):
                every.append((f"{name}.{option}", getattr(part, option), default))
    return {
        "given": {
            name: redacted(_plain(value), name.rpartition(".")[2])
            for name, value, default in every
            if not _equal(value, default)
        },
        "defaulted": [f"{name}={value!r}" for name, value, default in every if _equal(value, default)],
    }


def asked_since(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any] | None:
    """What asking took between two states of an account; None if nobody was asked and nothing was known."""
    told = {key: _difference(before.get(key), value) for key, value in after.items()}
    return told if told["calls"] or told["known"] else None


def _difference(before: Any, after: Any) -> Any:
    if isinstance(after, Mapping):
        counts = {key: count - (before or {}).get(key, 0) for key, count in after.items()}
        return {key: count for key, count in counts.items() if count}
    if isinstance(after, int | float):
        return round(after - (before or 0), 9)
    return after


def _defaults(part: Any) -> dict[str, Any]:
    """A component's options as they are when nobody chooses any; `inspect`'s word for none where one has to.

    Our own components may store another form of what they are given (None as an empty list, say), so they
    are asked with a fresh one; others are taken at the word of their signature, since building may cost.
    """
    parameters = dict(list(inspect.signature(type(part).__init__).parameters.items())[1:])
    told = {option: each.default for option, each in parameters.items()}
    if type(part).__module__.split(".")[0] != __name__.split(".")[0]:
        return told
    needed = [option for option, default in told.items() if default is inspect.Parameter.empty]
    try:
        fresh = type(part)(**{option: getattr(part, option) for option in needed})
    except Exception:  # noqa: BLE001  # options that need each other, or an extra that is not installed
        return told
    return {
        option: getattr(fresh, option, told[option]) if option not in needed else told[option]
        for option in told
    }


def _equal(value: Any, default: Any) -> bool:
    try:
        return type(value) is type(default) and bool(value == default)
    except Exception:  # noqa: BLE001  # whatever a stranger's option does when it is compared
        return False


def _plain(value: Any) -> Any:
    """A value as the manifest tells it; an object by its kind, since it may hold a key."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return str(value) if isinstance(value, Path) else type(value).__name__


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git() -> dict[str, Any] | None:
    """Commit and whether files differ from it; None outside a repository or without git."""
    try:
        commit = _git_says("rev-parse", "HEAD")
        dirty = bool(_git_says("status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "dirty": dirty}


def _git_says(*arguments: str) -> str:
    call = subprocess.run(  # noqa: S603  # fixed arguments
        ["git", *arguments],  # noqa: S607  # whichever git the user has
        capture_output=True,
        text=True,
        timeout=5,
        check=True,
        cwd=Path.cwd(),
    )
    return call.stdout.strip()
