"""What the end of a session writes into the manifest of a run."""

from collections.abc import Mapping
from typing import Any

from thresher.pipelines.provenance import now
from thresher.pipelines.run_summary import SUMMARY
from thresher.pipelines.shards import SHARDS

GIVEN_UP = "given_up"
"""Manifest entry with the numbers of the chunks that killed every process which computed them."""
_OF_THE_END = ("unfinished", GIVEN_UP, SUMMARY, SHARDS)
"""Manifest entries that the end of a session replaces."""


def ended(
    last: Mapping[str, Any], session: Mapping[str, Any], finished: bool, why: str
) -> dict[str, Any] | None:
    """Return the manifest after a session; None if it stays as it is.

    Args:
        last: the manifest before.
        session: what the session reports, as for `RunDirectory.close`.
        finished: whether every chunk is committed and finished.
        why: why a chunk is unfinished; may be empty.
    """
    why = why or session.get("unfinished", "")
    done = finished and not why
    if last["complete"] == done and not session:
        return None
    kept = {key: value for key, value in last.items() if key not in _OF_THE_END}
    shards = None if done else session.get(SHARDS)
    reasons = {"unfinished": why, GIVEN_UP: session.get(GIVEN_UP), SHARDS: shards}
    given = {key: value for key, value in reasons.items() if value}
    return kept | {"complete": done, "finished": now()} | given
