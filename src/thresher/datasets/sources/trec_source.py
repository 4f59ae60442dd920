"""A TREC run that is read by query."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thresher.datasets.beir import Run, query_texts
from thresher.datasets.dataset import Dataset
from thresher.datasets.fingerprints import FINGERPRINT_ROWS, BlockHashes
from thresher.datasets.read import check_options
from thresher.datasets.sources import opening
from thresher.datasets.sources.indexed_file import IndexedFile
from thresher.datasets.sources.indexed_items import IndexedItems, open_index
from thresher.datasets.sources.source import Source
from thresher.datasets.sources.trec_index import TrecIndex, write_items
from thresher.datasets.sources.trec_lines import read_ranges
from thresher.datasets.sources.trec_pass import RunPass, refuse_repeats
from thresher.datasets.texts import are_texts, refuse_texts
from thresher.datasets.trec import read_trec, stem_of_run
from thresher.errors import InputError
from thresher.kernels.retrieval.columns import IdRows, judged_run
from thresher.kernels.retrieval.order import TIE_RULES, TieRule
from thresher.results import FrozenColumn
from thresher.results.choices import check_choice

AnyPath = str | os.PathLike[str]


def open_trec(
    run: AnyPath,
    qrels: AnyPath,
    *,
    ties: TieRule = "trec",
    name: str | None = None,
    limit: int | None = None,
    index: Path | None = None,
) -> Source:
    """Open a run and its judgements, to be read by query.

    The items are those of `read_trec`, with equal ids, columns and fingerprint. One reading of the run finds
    where the lines of each query are. If they do not follow each other, or the run is gzipped, it is copied
    to the index, sorted by query. A second reading makes the fingerprint and finds repeated documents, so
    that all errors are raised here.

    The index needs memory for the judgements, a block of 16 MB of the run, the lines of 1,000 queries, and
    some 500 bytes per query. On disk it has 32 bytes and the id of each query, and the copy if there is one,
    which takes twice its size while it is made. Small runs are read whole.

    Args:
        run: as in `read_trec`; so are `qrels` and `ties`.
        qrels: the judgements, which are read whole.
        ties: how documents are ranked.
        name: name of the data set; default: the run's file name without suffix.
        limit: use the first queries only; all lines are checked.
        index: folder of indices, in which one that was kept is looked for; default: none is.

    Raises:
        InputError: as `read_trec`.
    """
    check_choice("ties", ties, TIE_RULES)
    check_options(name, limit, "missing", None)
    paths = large_files(run, qrels)
    if paths is None:
        whole = read_trec(run, qrels, ties=ties, name=name)
        return whole if limit is None else whole.head(limit)
    label = name or stem_of_run(run)

    options = {"format": "trec", "ties": ties, "limit": limit}
    return open_judged_run(TrecIndex(folder=Path(), name=label, files=(), ties=ties), paths, options, index)


def open_judged_run(
    begun: TrecIndex, paths: Sequence[Path], options: Mapping[str, Any], kept: Path | None
) -> "TrecSource":
    """Open a run by a kept index, or by a new one.

    Args:
        begun: has the name and the ties of the index.
        paths: the run, its judgements, and the queries of a BEIR folder.
        options: how they are read.
        kept: folder of indices, in which one may have been kept.

    Raises:
        InputError: as the whole reader.
    """

    def build(folder: Path, files: tuple[IndexedFile, ...]) -> TrecIndex:
        return _built(replace(begun, folder=folder, files=files), options["limit"])

    stored, temporary = open_index(TrecIndex, paths, options, build, kept)
    return TrecSource(replace(stored, name=begun.name), temporary=temporary)


class TrecSource(IndexedItems[TrecIndex]):
    """A run in a file; a chunk of queries is read without the others."""

    def slice(self, start: int, stop: int, /) -> Dataset:
        """The items `[start:stop]`, with the meaning of Python's slices.

        Raises:
            InputError: if a file changed since it was indexed, or cannot be read.
        """
        self._index.check_unchanged()
        items = range(len(self))[start:stop]
        queries, ranges = self._index.items(items.start, items.stop)
        return self.joined(items.start, queries, read_ranges(self._index.lines, ranges))

    def joined(self, start: int, queries: Sequence[str], run: IdRows) -> Dataset:
        """The items of some queries.

        Args:
            start: position of the first of them.
            queries: their ids.
            run: the retrieved documents of these queries.
        """
        both = judged_run(run, self._judgements.of(queries), self._index.ties, queries)
        columns: dict[str, FrozenColumn] = {}
        if self._index.is_beir:
            columns["questions"] = FrozenColumn(self._index.questions(start, start + len(queries)))
        columns |= {"ground_truth_documents": both.judged, "retrieved_documents": both.retrieved}
        return Dataset(FrozenColumn(both.queries), columns, name=self.name)

    @cached_property
    def _judgements(self) -> "_Judgements":
        return _Judgements(self._index.judgements())


class _Judgements:
    """Judgements by query; those of some queries are taken."""

    def __init__(self, rows: IdRows) -> None:
        self._rows = rows
        queries = pa.concat_arrays(rows.query_ids.unify_dictionaries().chunks)
        self._codes, self._names = np.asarray(queries.indices), queries.dictionary

    def of(self, queries: Sequence[str]) -> IdRows:
        """The judgements of these queries, in the order of the lines."""
        chosen = pc.is_in(self._names, value_set=pa.array(queries, pa.string())).to_numpy(
            zero_copy_only=False
        )
        rows = np.flatnonzero(chosen[self._codes])
        queries_of, documents, numbers = self._rows
        ids = [column.take(rows).cast(pa.string()) for column in (queries_of, documents)]
        return IdRows(ids[0], ids[1], numbers[rows])


def large_files(run: Run | None, qrels: AnyPath) -> tuple[Path, Path] | None:
    """Paths of a run and its judgements; None if the run is small, in no file, or cannot be read."""
    if run is None or isinstance(run, Mapping):
        return None
    try:
        paths = Path(run), Path(qrels)
        large = all(path.is_file() for path in paths) and paths[0].stat().st_size > opening.SMALL
    except (OSError, ValueError, TypeError):
        return None
    return paths if large else None


def _built(index: TrecIndex, limit: int | None) -> TrecIndex:
    """Make and write the index."""
    run = RunPass(Path(index.files[0].path))
    judged = index.judgements().queries() if index.is_beir else None  # whose errors are the first
    run.read()
    try:
        judged = judged or index.judgements().queries()
        questions = _questions(index, judged) if index.is_beir else None
    except InputError:  # the errors of the run come before these
        _check_repeats(_placed(index, run, list(run.counts), None), 0)
        raise
    queries = list(dict.fromkeys([*judged, *run.counts]))
    items = len(judged) if index.is_beir else len(queries)
    whole = _placed(index, run, queries, questions)
    whole = replace(whole, size=items if limit is None else min(limit, items))
    hashes, source = BlockHashes(), TrecSource(whole)
    has_repeats = False
    for start, names, rows in _blocks(whole, 0, whole.size):
        has_repeats = has_repeats or rows.have_repeats()
        hashes.add_columns(source.joined(start, names, rows).columns)
        hashes.add_ids(names)
    if has_repeats:
        refuse_repeats(run.path, index.folder)
    _check_repeats(replace(whole, size=len(queries)), whole.size)
    if not are_texts(questions or []):
        refuse_texts(source)
    built = replace(whole, fingerprint=hashes.fingerprint(source.columns, whole.size))
    built.write()
    return built


def _questions(index: TrecIndex, judged: Sequence[str]) -> list[str]:
    """The texts of the queries of a BEIR folder."""
    qrels, queries = (Path(file.path) for file in index.files[1:])
    return query_texts(queries, judged, qrels.stem)


def _placed(
    index: TrecIndex, run: RunPass, queries: Sequence[str], questions: Sequence[str] | None
) -> TrecIndex:
    """The index with the places of all queries, and with a sorted copy of the run if it needs one."""
    items = {name: item for item, name in enumerate(queries)}
    placed = replace(index, is_copied=not run.is_grouped, size=len(queries))
    ranges = run.ranges(items) if run.is_grouped else run.sorted_copy(placed.lines, items)
    if index.is_beir:  # only judged queries are items
        questions = [*(questions or ()), *[""] * (len(queries) - len(questions or ()))]
    write_items(index.folder, queries, ranges, questions)
    return placed


def _check_repeats(index: TrecIndex, first: int) -> None:
    """Raise InputError if an item from `first` on has a document twice."""
    if any(rows.have_repeats() for _, _, rows in _blocks(index, first, index.size)):
        refuse_repeats(Path(index.files[0].path), index.folder)


def _blocks(index: TrecIndex, start: int, stop: int) -> Iterator[tuple[int, list[str], IdRows]]:
    """Yield position, queries and rows of 1,000 items at a time."""
    for first in range(start, stop, FINGERPRINT_ROWS):
        queries, ranges = index.items(first, min(first + FINGERPRINT_ROWS, stop))
        yield first, queries, read_ranges(index.lines, ranges)
