"""Items whose data under test contain verdicts that the judge repeated."""

from collections.abc import Iterable, Mapping
from typing import Any

from thresher.results.metric_result import MetricResult
from thresher.results.parted_columns import PartedColumn

FOUND_IN_DATA = "verdicts_found_in_data"
"""Key of an item's evidence: how many verdicts were discarded because the judge copied them from the data."""


def items_with_planted_verdicts(result: MetricResult) -> list[int]:
    """Positions of the items, scored or not, in which the judge copied verdicts from the data."""
    evidence: Iterable[tuple[int, Any]]
    if isinstance(result.evidence, PartedColumn):  # only entries with the key are decoded
        items = result.evidence.candidates(FOUND_IN_DATA)
        evidence = zip(items, result.evidence.take(items), strict=True)
    else:
        evidence = enumerate(result.evidence or ())
    return [item for item, entry in evidence if isinstance(entry, Mapping) and entry.get(FOUND_IN_DATA)]
