"""The results of a run from its parts: in memory if they are small, else read when they are used."""

from collections.abc import Mapping
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError, RunDirectoryError
from thresher.pipelines.joined_parts import joined
from thresher.pipelines.lazy_run import lazy_results
from thresher.pipelines.parts import part_name
from thresher.pipelines.run_folder import ANOTHER_DIRECTORY, PARTS
from thresher.pipelines.shards import SHARDS, unfinished_shards
from thresher.pipelines.stored_parts import StoredParts
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.completeness import UNFINISHED_SHARDS, how_to_continue

SMALL = 8 * 2**20
"""Bytes of parts up to which results are read whole: some 50,000 items, which take up to 100 MB."""
FEW = 100_000
"""Items up to which they are: a million short items take less than `SMALL`, and 300 MB in memory."""


def read_results(location: str, parts: StoredParts, manifest: Mapping[str, Any]) -> EvaluationResults:
    """Return the results of all committed chunks.

    Args:
        location: the place of the run, for messages.
        parts: its parts.
        manifest: contents of `run.json`.

    Raises:
        RunDirectoryError: if no chunk is committed, or a complete run lacks one.
        DamagedRunError: if a part is damaged, or of another run.
    """
    numbers = parts.numbers(expected=manifest["complete"])
    manifest = {**manifest, **_unfinished_shards(parts, manifest)}
    if manifest["complete"] and len(numbers) < parts.chunks:
        present = set(numbers)
        missing = next(number for number in range(parts.chunks) if number not in present)
        raise RunDirectoryError(
            f"{location} lacks {PARTS}/{part_name(missing)}: run again to compute it anew"
        )
    if not numbers:
        items = manifest["items"]
        remedy = how_to_continue(manifest, "repeat the command that began it")
        raise RunDirectoryError(f"{location} has no scores yet (0 of {counted(items, 'item')}): {remedy}")
    try:
        long = int(manifest["items"]) > FEW or parts.bytes_of(numbers) > SMALL
        if long:
            return lazy_results(parts, numbers, manifest)
        return joined([parts.read(number) for number in numbers], manifest)
    except (KeyError, IndexError, InputError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else error
        raise RunDirectoryError(
            f"{location} holds parts that do not belong together ({reason}): {ANOTHER_DIRECTORY}"
        ) from error


def _unfinished_shards(parts: StoredParts, manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """Entry with the shards that lack a chunk or the scores of one now; empty for a run without shards.

    It is computed when results are read, because other shards go on after one has written the manifest.
    """
    if manifest["complete"] or not manifest.get(SHARDS):
        return {}
    facts = parts.all_facts()
    finished = {number for number, known in facts.items() if known is not None and not known.unfinished}
    return {UNFINISHED_SHARDS: unfinished_shards(manifest, parts.chunks, finished)}
