"""How a run came about: versions, source state, time. Provenance explains; signatures compare."""

import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("haystack-ai", "numpy", "nltk", "rapidfuzz", "pandas", "pyarrow")


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def provenance() -> dict[str, Any]:
    """Versions, platform and the state of the working folder's git repository, if it is one."""
    import thresher

    return {
        "thresher": thresher.__version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        "git": _git(),
    }


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
