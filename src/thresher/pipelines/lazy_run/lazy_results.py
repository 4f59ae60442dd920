"""Results of a run directory whose columns are read when they are used."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from thresher.kernels.inference.block_totals import prepare_totals
from thresher.kernels.inference.target import Target
from thresher.pipelines.lazy_run.part_index import PartIndex, ResultIndex
from thresher.pipelines.lazy_run.part_source import PartSource
from thresher.pipelines.lazy_run.stored_statistics import StoredStatistics
from thresher.pipelines.manifest import run_identity
from thresher.pipelines.run_summary import SUMMARY
from thresher.pipelines.stored_parts import StoredParts
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import MetricResult
from thresher.results.deferred_statistics import DeferredStatistics
from thresher.results.parted_columns import PartedColumn, PartedReasons
from thresher.results.storage import described_result


def lazy_results(
    parts: StoredParts, numbers: Sequence[int], manifest: Mapping[str, Any], limit: int | None = None
) -> EvaluationResults:
    """Verify the parts of a run, and return results that read from them.

    Args:
        parts: the stored parts, all with seals, so that their ids are known to be distinct.
        numbers: numbers of the chunks; at least one.
        manifest: the run's manifest.
        limit: bytes of statistics that stay in memory.

    Raises:
        DamagedRunError: if a part is damaged, or of another run.
        KeyError, IndexError, InputError: if the parts have different inputs or metrics.
    """
    source = PartSource(parts, numbers)
    index = PartIndex(source)
    statistics = StoredStatistics(source, index, limit, parts.committed_statistics())

    def column(name: str, **options: Any) -> PartedColumn:
        read, stored = partial(source.column, name=name), partial(source.stored, name=name)
        choose = partial(source.chosen, name=name)
        return PartedColumn(source.ends, read, stored=stored, choose=choose, **options)

    results = [_result(result, source, statistics, column) for result in index.results]
    prepare_totals(Target(result, measure.name) for result in results for measure in result.measures)
    return EvaluationResults(
        {name: column(f"input.{name}") for name in index.inputs},
        results,
        name=manifest["name"],
        ids=column("id", are_ids=True, data=_data(manifest, source)),
        ids_given=manifest.get("ids_given", True),
        provenance={key: entry for key, entry in manifest.items() if key != SUMMARY},
    )


def _data(manifest: Mapping[str, Any], source: PartSource) -> str:
    """The fingerprint of the data, if the run has all of its items in its order.

    Results that were saved again have another identity: they may be a selection of the items.
    """
    own = manifest["identity"] == run_identity(manifest)
    return str(manifest.get("data", "")) if own and source.size == manifest["items"] else ""


def _result(
    result: ResultIndex, source: PartSource, statistics: StoredStatistics, column: Callable[..., PartedColumn]
) -> MetricResult:
    coded = result.description["coded"]
    deferred = DeferredStatistics(source.size, result.labels[0], coded, statistics, result.number)
    reasons = PartedReasons(column(result.column("reason")))
    name = result.column("evidence")
    evidence = None
    if result.has_evidence:
        evidence = column(name, containing=partial(source.containing, name=name))
    return described_result(result.description, deferred, result.status, reasons, evidence)
