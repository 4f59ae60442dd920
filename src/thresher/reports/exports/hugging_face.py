"""A run as a dataset of Hugging Face."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from thresher.errors import MissingDependencyError
from thresher.reports.rendering.text import plain
from thresher.reports.runs.item_tables import complete
from thresher.reports.runs.run_data import RunData

if TYPE_CHECKING:
    import pyarrow as pa


def to_datasets(run: RunData) -> Any:
    """Return a `datasets.Dataset` with one row per item: id, inputs, scores, and why an item has no score.

    A column whose entries Arrow cannot hold in one type, such as rankings of (id, score), is JSON text.

    Raises:
        MissingDependencyError: if the package `datasets` is not installed.
    """
    try:
        from datasets import Dataset
    except ImportError as error:
        raise MissingDependencyError("datasets") from error
    import pyarrow as pa

    table = complete(run)
    columns = {name: _column(table[name]) for name in table.columns}
    return Dataset(pa.table(columns))


def _column(entries: Sequence[Any]) -> "pa.Array":
    import pyarrow as pa

    values = [plain(entry) for entry in entries]
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        return pa.array(
            [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
        )
