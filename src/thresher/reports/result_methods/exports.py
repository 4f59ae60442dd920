"""Results as the data of other libraries, and items as a data set."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.reports.runs import item_tables
from thresher.reports.runs.run_data import RunData

if TYPE_CHECKING:
    import pandas as pd
    from haystack.evaluation import EvaluationRunResult


class ExportMethods(RunData):
    """What other libraries read."""

    def to_valor(self, *, label_key: str = "", parts: bool = False) -> list[dict[str, Any]]:
        """Return the whole run as a list of Valor's metric dictionaries.

        The metrics come in the order of `metrics`. Those that Valor does not define (COCO's twelve numbers,
        token F1, rankings, ...) are left out. Examples are named by the ids of the run and its name.

        Args:
            label_key: key of plain labels, which have none of their own.
            parts: whether ROUGE is one entry per type instead of one whose value is a dictionary.

        Returns:
            One dictionary per metric and label: `type`, `value`, and `parameters` and `label` where Valor
            has them.
        """
        options: dict[str, Any] = {"label_key": label_key, "ids": list(self.ids), "parts": parts}
        dataset = self.name or "dataset"
        return [entry for result in self.results for entry in result.to_valor(dataset=dataset, **options)]

    def to_haystack(self) -> "EvaluationRunResult":
        """Return inputs, values and item scores (NaN if missing) as Haystack's class."""
        from thresher.reports.exports.haystack import to_haystack

        return to_haystack(self)

    def to_ragas(self) -> list[dict[str, Any]]:
        """Return the items as ragas' samples with their scores, for `ragas.EvaluationDataset.from_list`."""
        from thresher.reports.exports.ragas import to_ragas

        return to_ragas(self)

    def to_datasets(self) -> Any:
        """Return the items, with inputs, scores and statuses, as a `datasets.Dataset` of Hugging Face.

        Raises:
            MissingDependencyError: if the package `datasets` is not installed.
        """
        from thresher.reports.exports.hugging_face import to_datasets

        return to_datasets(self)

    def to_dataframe(self) -> "pd.DataFrame":
        """Return every item with its inputs, scores and status."""
        return item_tables.complete(self).to_dataframe()

    def export(
        self,
        path: str | Path | None = None,
        *,
        where: str | None = None,
        below: Mapping[str, float] | None = None,
        regressed_from: RunData | None = None,
        metric: str | None = None,
        failed: bool = False,
        flaky: bool = False,
        columns: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[dict[str, Any]]:
        """Return items as a data set: input columns by their names in the source, scores under `_thresher`.

        `evaluate`, `experiment` and `thresher run` accept the rows. The items meet every condition; all items
        without one.

        Args:
            path: also write the rows to this file: `.jsonl`, `.csv` or `.parquet`.
            where: a condition on columns and scores, such as `language == "de" and token_f1 < 0.5`.
            below: metric -> items with a score below this number, the lowest first.
            regressed_from: items with a worse score than in this run, the largest losses first.
            metric: the metric of `regressed_from` and `flaky`; default: the first primary measure.
            failed: items with a failed or unreadable score in any metric.
            flaky: items whose repeats have different scores.
            columns: input columns to export; default: all.
            limit: most items to export; None for all.

        Raises:
            InputError: for an unknown column or metric, a condition that cannot be read, or another suffix.
        """
        from thresher.reports.exports.item_export import source_rows, write_rows
        from thresher.reports.exports.selected_items import Choice, chosen_items

        choice = Choice(where, below or {}, regressed_from, metric, failed, flaky)
        rows = source_rows(self, chosen_items(self, choice)[:limit], columns)
        if path is not None:
            write_rows(rows, path)
        return rows
