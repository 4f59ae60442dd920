"""Items whose data under test hold verdicts that the judge repeated."""

from collections.abc import Mapping

from thresher.results.metric_result import MetricResult

FOUND_IN_DATA = "verdicts_found_in_data"
"""Key of an item's evidence: how many verdicts did not count, as the judge repeated them from the data."""


def items_with_planted_verdicts(result: MetricResult) -> list[int]:
    """Positions of the items in which the judge repeated verdicts from the data, scored or not."""
    evidence = result.evidence or ()
    return [
        item for item, entry in enumerate(evidence) if isinstance(entry, Mapping) and entry.get(FOUND_IN_DATA)
    ]
