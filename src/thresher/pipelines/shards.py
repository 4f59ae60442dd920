"""Shards of a run: which of them lack a chunk."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

SHARDS = "shards"
"""Manifest entry with the number of shards into which the last session divided the chunks."""


def unfinished_shards(manifest: Mapping[str, Any], chunks: int, finished: Collection[int]) -> list[str]:
    """Return the shards that lack a chunk, as `--shard` takes them; empty for a run without shards.

    Args:
        manifest: the manifest of the run.
        chunks: number of its chunks.
        finished: numbers of the chunks that need no further session.
    """
    shards = manifest.get(SHARDS)
    if manifest["complete"] or not shards:
        return []
    done = Counter(number % shards for number in finished)
    lacking = (shard for shard in range(shards) if done[shard] < len(range(shard, chunks, shards)))
    return [f"{shard + 1}/{shards}" for shard in lacking]
