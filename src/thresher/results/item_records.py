"""What a metric result records per item next to its statistics: status, reasons, evidence."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.results.parted_columns import PartedReasons
from thresher.results.plain_results import Parts
from thresher.results.ragged import frozen
from thresher.results.status import Status


def status_codes(status: npt.ArrayLike | None, size: int) -> npt.NDArray[np.uint8]:
    """Return one read-only `Status` per item; None means that every item is scored.

    A status of all items is stored once.

    Raises:
        InputError: for another number of statuses.
    """
    if status is None:
        return np.broadcast_to(np.uint8(Status.SCORED), size)
    if isinstance(status, np.ndarray) and status.strides == (0,) and len(status) == size > 0:
        return np.broadcast_to(np.uint8(status[0]), size)
    codes = frozen(np.asarray(status, dtype=np.uint8))
    if codes.shape != (size,):
        raise InputError(f"{counted(codes.size, 'status', 'statuses')} for {counted(size, 'item')}")
    return codes


def taken_reasons(reasons: Mapping[int, str], positions: npt.NDArray[np.int64]) -> dict[int, str]:
    """Return the reasons of some items, by their places among these."""
    if isinstance(reasons, PartedReasons):
        return reasons.taken(positions)
    return {new: reasons[old] for new, old in enumerate(positions.tolist()) if old in reasons}


def joined_reasons(shards: Sequence[Parts]) -> dict[int, str]:
    """Return the reasons of consecutive shards by the positions of all items."""
    offsets = np.cumsum([0, *(shard.statistics.size for shard in shards)]).tolist()
    return {
        offset + item: reason
        for offset, shard in zip(offsets, shards, strict=False)
        for item, reason in shard.reasons.items()
    }


def joined_evidence(shards: Sequence[Parts]) -> list[Any] | None:
    """Return the evidence of consecutive shards; None if none has any."""
    if all(shard.evidence is None for shard in shards):
        return None
    return [entry for shard in shards for entry in shard.evidence or [None] * shard.statistics.size]
