"""TREC runs, also of BEIR folders, that are read by query."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from thresher.datasets._opened import explained, path_of
from thresher.datasets._rows import blocks_of, lines_of
from thresher.datasets.beir import QRELS as BEIR_QRELS
from thresher.datasets.beir import QUERIES, Run, qrels_path, query_texts, read_beir
from thresher.datasets.dataset import Dataset
from thresher.datasets.fingerprints import FINGERPRINT_ROWS, BlockHashes
from thresher.datasets.read import check_options
from thresher.datasets.sources import opening
from thresher.datasets.sources.row_ids import Keys
from thresher.datasets.sources.source import Source
from thresher.datasets.sources.stage import (
    Int64s,
    Scattered,
    Stage,
    StagedFrom,
    StagedSource,
    open_stage,
    whole_column,
    write_table,
)
from thresher.datasets.texts import are_texts, refuse_texts
from thresher.datasets.trec import QRELS, RUN, AnyPath, read_once, read_trec, stem_of_run
from thresher.errors import InputError
from thresher.files.arrow_arrays import array_of_numbers, array_of_texts, numpy_of
from thresher.files.stores import Store
from thresher.kernels.retrieval.columns import IdRows, judged_run
from thresher.kernels.retrieval.order import TIE_RULES, TieRule
from thresher.results import FrozenColumn
from thresher.results.choices import check_choice

_ITEMS, _RUN, _JUDGED = "items", "run", "judged"
"""Tables of the stage: queries, with the places where their rows begin in the other two, which are sorted by
query and have documents and numbers."""
_BLOCK = 10_000


@explained
def open_trec(
    run: AnyPath,
    qrels: AnyPath,
    *,
    ties: TieRule = "trec",
    name: str | None = None,
    limit: int | None = None,
    index: Store | None = None,
) -> Source:
    """Open a run and its judgements, to be read by query.

    The items are those of `read_trec`, with equal ids, columns and fingerprint. The files are read once, and
    their rows are written to the stage, sorted by query. That needs memory for the judgements, a block of
    16 MB of the run, 4 bytes per line and some 500 bytes per query. Small runs are read whole.

    Args:
        run: as in `read_trec`; so are `qrels` and `ties`.
        qrels: the judgements, which are read whole.
        ties: how documents are ranked.
        name: name of the data set; default: the run's file name without suffix.
        limit: use the first queries only; all lines are checked.
        index: where a stage that was kept is looked for; default: nowhere.

    Raises:
        InputError: as `read_trec`.
    """
    check_choice("ties", ties, TIE_RULES)
    check_options(name, limit, "missing", None)
    paths = _large_files(run, qrels)
    if paths is None:
        whole = read_trec(run, qrels, ties=ties, name=name)
        return whole if limit is None else whole.head(limit)
    return _open(name or stem_of_run(run), paths, {"format": "trec", "ties": ties, "limit": limit}, index)


@explained
def open_beir(
    folder: AnyPath,
    *,
    split: str = "test",
    run: Run | None = None,
    ties: TieRule = "trec",
    name: str | None = None,
    limit: int | None = None,
    index: Store | None = None,
) -> Source:
    """Open the judged queries of a split with a run, to be read by query.

    The items are those of `read_beir`, with equal ids, columns and fingerprint. The stage is that of
    `open_trec`, with the texts of the queries. Small runs, and those that are in no file, are read whole.

    Args:
        folder: as in `read_beir`; so are `split`, `run` and `ties`.
        split: which judgements.
        run: the retrieved documents.
        ties: how documents are ranked.
        name: name of the data set; default: the folder's name and the split.
        limit: use the first queries only; all lines are checked.
        index: where a stage that was kept is looked for; default: nowhere.

    Raises:
        InputError: as `read_beir`; for texts that cannot be written as UTF-8.
    """
    check_choice("ties", ties, TIE_RULES)
    check_options(name, limit, "missing", None)
    root = path_of(folder, "a BEIR folder")
    paths = _large_files(run, qrels_path(root, split))
    if paths is None or not (root / QUERIES).is_file():
        whole = read_beir(root, split=split, run=run, ties=ties, name=name)
        return whole if limit is None else whole.head(limit)
    options = {"format": "beir", "ties": ties, "limit": limit}
    return _open(name or f"{root.name}-{split}", (*paths, root / QUERIES), options, index)


def _large_files(run: Run | None, qrels: AnyPath) -> tuple[Path, Path] | None:
    """Paths of a run and its judgements; None if the run is small, in no file, or cannot be read."""
    if run is None or isinstance(run, Mapping):
        return None
    try:
        paths = Path(run), Path(qrels)
        large = all(path.is_file() for path in paths) and paths[0].stat().st_size > opening.SMALL
    except (OSError, ValueError, TypeError):
        return None
    return paths if large else None


def _open(name: str, paths: Sequence[Path], options: Mapping[str, Any], kept: Store | None) -> "TrecSource":
    """Open a run, its judgements, and perhaps the queries of a BEIR folder."""

    def build(folder: Path, files: tuple[StagedFrom, ...]) -> TrecStage:
        begun = TrecStage(location=str(folder), name=name, files=files, tables={}, ties=options["ties"])
        return _staged(begun, options["limit"])

    stage, temporary = open_stage(TrecStage, paths, options, build, kept)
    return TrecSource(replace(stage, name=name), temporary=temporary)


@dataclass(frozen=True, kw_only=True)
class TrecStage(Stage):
    """The stage of a run.

    Attributes:
        ties: how documents are ranked.
    """

    ties: TieRule

    @property
    def is_beir(self) -> bool:
        """Whether the judgements are those of a BEIR folder, whose queries have texts."""
        return len(self.files) > 2  # noqa: PLR2004  # the queries

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        names = "ground_truth_documents", "retrieved_documents"
        return ("questions", *names) if self.is_beir else names

    def retrieved(self, start: int, stop: int) -> IdRows:
        """The retrieved documents of the queries `[start:stop]`."""
        return self._rows(_RUN, 1, start, stop)

    def items(self, start: int, stop: int) -> Dataset:
        """The queries `[start:stop]`."""
        ids = self._texts(0, start, stop)
        both = judged_run(self.retrieved(start, stop), self._rows(_JUDGED, 2, start, stop), self.ties, ids)
        columns: dict[str, FrozenColumn] = {}
        if self.is_beir:
            columns["questions"] = FrozenColumn(map(json.loads, self._texts(3, start, stop)))
        columns |= {"ground_truth_documents": both.judged, "retrieved_documents": both.retrieved}
        return Dataset(FrozenColumn(both.queries), columns, name=self.name)

    def _texts(self, place: int, start: int, stop: int) -> list[str]:
        tables = self.content.read(_ITEMS, start, stop)
        return [text for table in tables for text in table.column(place).to_pylist()]

    def _rows(self, table: str, place: int, start: int, stop: int) -> IdRows:
        begins = numpy_of(whole_column(list(self.content.read(_ITEMS, start, stop + 1)), place))
        rows = list(self.content.read(table, int(begins[0]), int(begins[-1])))
        rows = rows or [
            row.slice(1) for row in self.content.read(table, 0, 1)
        ]  # which have the type of numbers
        if not rows:
            return IdRows([], [], np.zeros(0))
        owners = np.repeat(np.arange(stop - start), np.diff(begins))
        queries = array_of_texts(self._texts(0, start, stop)).take(array_of_numbers(owners))
        return IdRows(queries, whole_column(rows, 0), numpy_of(whole_column(rows, 1)))


class TrecSource(StagedSource[TrecStage]):
    """A run in a file; a chunk of queries is read without the others."""

    def slice(self, start: int, stop: int, /) -> Dataset:
        """The items `[start:stop]`, with the meaning of Python's slices.

        Raises:
            InputError: if the stage cannot be read.
        """
        items = range(len(self))[start:stop]
        return self._stage.items(items.start, max(items.start, items.stop))


class _RunReading:
    """Reads the lines of a run into a stage.

    Attributes:
        numbers: query -> its number, in the order in which queries first occur.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.numbers = path, dict[str, int]()
        self._rows = Scattered(folder, _RUN)
        for block in blocks_of(path, RUN):
            table = block.table(path, RUN)
            if table.num_rows:
                self._add(table)
        if not self.numbers:
            raise InputError(f"{path} holds no lines of {RUN.what}; give at least one")

    def _add(self, table: pa.Table) -> None:
        queries = pa.concat_arrays(table["query"].unify_dictionaries().chunks)
        names = queries.dictionary.to_pylist()
        numbers = np.array([self.numbers.setdefault(name, len(self.numbers)) for name in names], np.int32)
        documents, scores = (pa.concat_arrays(table[name].chunks) for name in ("document", "number"))
        columns = [documents.cast(pa.string()), scores]
        self._rows.add(numbers[np.asarray(queries.indices)], pa.record_batch(columns, ["document", "number"]))

    def sorted_by(self, queries: Sequence[str]) -> tuple[list[tuple[str, int]], Int64s]:
        """Write the rows in the order of all queries; return the files, and where the rows of each begin."""
        places = {name: place for place, name in enumerate(queries)}
        return self._rows.finish(len(queries), np.array([places[name] for name in self.numbers], np.int64))


def _staged(begun: TrecStage, limit: int | None) -> TrecStage:
    """Make and write the stage."""
    paths = [Path(file.path) for file in begun.files]
    layout = BEIR_QRELS if begun.is_beir else QRELS
    judgements = read_once(paths[1], layout) if begun.is_beir else None  # whose errors are the first
    run = _RunReading(paths[0], Path(begun.location))
    questions: list[str] | None = None
    try:
        judgements = judgements or read_once(paths[1], layout)
        judged = judgements.queries()
        if begun.is_beir:
            questions = query_texts(paths[2], judged, paths[1].stem)
    except InputError:  # the errors of the run come before these
        own = list(run.numbers)
        _refuse_repeats(_with_rows(begun, run, own, IdRows([], [], np.zeros(0)), None), len(own))
        raise
    queries = list(dict.fromkeys([*judged, *run.numbers]))
    whole = _with_rows(begun, run, queries, judgements, questions)
    _refuse_repeats(whole, len(queries))
    items = len(judged) if begun.is_beir else len(queries)
    size = items if limit is None else min(limit, items)
    whole = replace(whole, size=size)
    if not are_texts(questions or []):
        refuse_texts(TrecSource(whole))
    hashes = BlockHashes()
    for start in range(0, size, FINGERPRINT_ROWS):
        block = whole.items(start, min(start + FINGERPRINT_ROWS, size))
        hashes.add_columns(block.columns)
        hashes.add_ids(block.ids)
    built = replace(whole, fingerprint=hashes.fingerprint(whole.columns, size))
    built.write()
    return built


def _with_rows(
    begun: TrecStage,
    run: _RunReading,
    queries: Sequence[str],
    judgements: IdRows,
    questions: Sequence[str] | None,
) -> TrecStage:
    """The stage with the tables of all queries; those of a BEIR folder that are not judged are no items."""
    folder, tables = Path(begun.location), dict[str, list[tuple[str, int]]]()
    tables[_RUN], lines = run.sorted_by(queries)
    tables[_JUDGED], judged = _sorted_judgements(folder, judgements, queries)
    columns = {
        "query": array_of_texts([*queries, ""]),
        "run": array_of_numbers(lines),
        "judged": array_of_numbers(judged),
    }
    if begun.is_beir:
        texts = [*(questions or ()), *[""] * (len(queries) + 1 - len(questions or ()))]
        columns["question"] = array_of_texts(list(map(json.dumps, texts)))
    tables[_ITEMS] = write_table(folder, _ITEMS, columns)
    return replace(begun, tables=tables, size=len(queries))


def _sorted_judgements(
    folder: Path, rows: IdRows, queries: Sequence[str]
) -> tuple[list[tuple[str, int]], Int64s]:
    scattered = Scattered(folder, _JUDGED)
    if len(rows.numbers):
        names = pa.concat_arrays(rows.query_ids.unify_dictionaries().chunks)
        places = {name: place for place, name in enumerate(queries)}
        owners = np.array([places[name] for name in names.dictionary.to_pylist()], np.int64)
        documents = pa.concat_arrays(rows.document_ids.unify_dictionaries().chunks).cast(pa.string())
        columns = [documents, array_of_numbers(np.asarray(rows.numbers))]
        scattered.add(owners[np.asarray(names.indices)], pa.record_batch(columns, ["document", "number"]))
    return scattered.finish(len(queries))


def _refuse_repeats(stage: TrecStage, queries: int) -> None:
    """Raise InputError for the first document that was retrieved twice for a query."""
    for start in range(0, queries, FINGERPRINT_ROWS):
        if stage.retrieved(start, min(start + FINGERPRINT_ROWS, queries)).have_repeats():
            break
    else:
        return
    path, keys = Path(stage.files[0].path), Keys()
    for pairs in _pairs(path):
        keys.add_ids([" ".join(pair) for _, pair in pairs])
    suspects = keys.suspects()
    needed = {row for rows in suspects for row in rows}
    known: dict[int, tuple[int, tuple[str, str]]] = {}
    for first, pairs in enumerate(_pairs(path)):
        known |= {row: pair for row, pair in enumerate(pairs, first * _BLOCK) if row in needed}
    for row, *others in suspects:
        line, (query, document) = known[row]
        for other in others:
            before, pair = known[other]
            if pair == (query, document):
                repeat = f"document {document!r} of query {query!r} is already in line {before}"
                raise InputError(f"{path}:{line}: {repeat}; remove one of the two")


def _pairs(path: Path) -> Iterator[list[tuple[int, tuple[str, str]]]]:
    """Yield line, query and document of some lines at a time."""
    batch = []
    for line, (query, document, _) in lines_of(path, RUN):
        batch.append((line, (query, document)))
        if len(batch) == _BLOCK:
            yield batch
            batch = []
    yield batch
