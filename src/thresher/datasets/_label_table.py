"""The first rows and the columns of a table of labels."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.datasets.dataset import Dataset
from thresher.datasets.read import read_dataset, table_of

_HEAD = 100
"""Rows from which the kind of a column is inferred."""


def head_of(source: Any, limit: int | None, split: str | None) -> tuple[str, Mapping[str, Sequence[Any]]]:
    """Name of the source in messages, and the first rows of its columns."""
    if isinstance(source, Dataset):
        return source.name or "the data", source.head(_HEAD).columns
    table = table_of(source, _HEAD if limit is None else min(limit, _HEAD), split)
    return str(source) if isinstance(source, str | os.PathLike) else table.source, table.columns


def read_mapped(source: Any, mapping: Mapping[str, str], options: Mapping[str, Any]) -> Dataset:
    """Read a source with its columns renamed; options of `read_dataset`."""
    if not isinstance(source, Dataset):
        return read_dataset(source, mapping=mapping, **options)
    renamed = {mapping.get(name, name): column for name, column in source.columns.items()}
    dataset = Dataset(
        source.ids, renamed, source.name, ids_given=source.ids_given, sampled_from=source.sampled_from
    )
    return dataset if options["limit"] is None else dataset.head(options["limit"])
