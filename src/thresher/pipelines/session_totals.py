"""What the sessions of a run used: time, judges and generators, one file per session in `workers`.

A session writes its own file and no other, so that sessions that end in the same moment lose nothing; readers
sum the files.
"""

import secrets
import warnings
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from thresher.errors import DataWarning, RunDirectoryError
from thresher.files.stores import Store
from thresher.files.writing import explain_write_errors
from thresher.pipelines.manifest import sealed_json, unsealed_json

WORKERS = "workers"
"""Name of the folder of the sessions."""
_LISTED = ("asking", "answering")
_MOST_SECONDS = 1e12
"""30,000 years: a larger number is damage."""


def write_session(run: Store, session: Mapping[str, Any]) -> None:
    """Save what a session used.

    Args:
        run: the place of the run.
        session: `seconds`; `asking` and `answering`: lists of usages.

    Raises:
        RunDirectoryError: if it cannot be written.
        DiskFullError: if the disk is full.
    """
    store = run.child(WORKERS)
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{secrets.token_hex(4)}.json"  # sorted by the end
    with explain_write_errors(run.location, RunDirectoryError):
        store.prepare()
        store.put_if_absent(name, sealed_json(session))


def with_sessions(run: Store, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest with the totals of all sessions: `seconds`, `asking` and `answering`.

    Raises:
        RunDirectoryError: if a file cannot be read.

    Warns:
        DataWarning: if a file is damaged; its session is not counted.
    """
    whole = dict(manifest)
    for session in _sessions(run):
        whole["seconds"] = round(whole.get("seconds", 0.0) + session.get("seconds", 0.0), 3)
        for key in _LISTED:
            if session.get(key) or (key in session and key not in whole):
                whole[key] = [*whole.get(key, []), *session[key]]
    return whole


def _sessions(run: Store) -> Iterator[Mapping[str, Any]]:
    store = run.child(WORKERS)
    try:
        contents = {name: store.read(name) for name in store.names() if name.endswith(".json")}
    except OSError as error:
        raise RunDirectoryError(f"{store.location} cannot be read: {error.strerror or error}") from error
    for name, content in contents.items():
        session = session_of(content)
        if session is None:
            what = f"{store.place(name)} is damaged: the time and cost of the run lack its session"
            warnings.warn(what, DataWarning, stacklevel=4)
        else:
            yield session


def session_of(content: bytes) -> Mapping[str, Any] | None:
    """What a session used; None if its file is damaged."""
    entries = unsealed_json(content)
    return entries if entries is not None and _is_session(entries) else None


def _is_session(entries: Mapping[str, Any]) -> bool:
    seconds = entries.get("seconds", 0.0)
    return (
        isinstance(seconds, int | float)
        and 0 <= seconds < _MOST_SECONDS
        and all(
            isinstance(usages, list) and all(isinstance(usage, dict) for usage in usages)
            for usages in (entries.get(key, []) for key in _LISTED)
        )
    )
