"""TREC runs and judgements (qrels)."""

import os
from pathlib import Path

from thresher.datasets._opened import explained, path_of
from thresher.datasets._rows import Layout, lines_of, read_rows
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.kernels.retrieval.columns import IdRows, judged_run
from thresher.kernels.retrieval.order import TIE_RULES, TieRule
from thresher.results import FrozenColumn
from thresher.results.choices import check_choice

RUN = Layout("a run", ("query", "Q0", "document", "rank", "score", "tag"))
QRELS = Layout("qrels", ("query", "iteration", "document", "grade"))

AnyPath = str | os.PathLike[str]


@explained
def read_trec(run: AnyPath, qrels: AnyPath, *, ties: TieRule = "trec", name: str | None = None) -> Dataset:
    """Read a run and its judgements: a data set with one item per query.

    Every query of either file is an item. One that is judged and not in the run has an empty list of
    retrieved documents and scores 0; one that is in the run and not judged has no relevant documents and
    is missing. Ids of items are the query ids.

    Args:
        run: lines `query Q0 document rank score tag`; the rank is ignored.
        qrels: lines `query iteration document grade`; a grade of 0 or below is judged and not relevant.
        ties: how documents are ranked: `trec` as trec_eval does, `stable-score` by score with equal ones
            in the order of the lines, `input-order` in the order of the lines.
        name: name of the data set; default: the run's file name without suffix.

    Returns:
        A data set with the columns `retrieved_documents`, best first, and `ground_truth_documents`, both
        as arrays that retrieval metrics use without conversion.

    Raises:
        InputError: if a file cannot be read; for a bad line, or a document listed twice for a query, with
            the line's number.
    """
    check_choice("ties", ties, TIE_RULES)
    pair = judged_run(read_run(run), read_qrels(qrels), ties)
    columns = {"ground_truth_documents": pair.judged, "retrieved_documents": pair.retrieved}
    return Dataset(FrozenColumn(pair.queries), columns, name=name or stem_of_run(run))


def read_run(path: AnyPath) -> IdRows:
    """The rows of a run, one per retrieved document, in the order of the lines.

    Raises:
        InputError: for a bad line, or a document that was retrieved twice for a query.
    """
    return read_once(path_of(path, "a run"), RUN)


def read_qrels(path: AnyPath) -> IdRows:
    """The rows of a qrels file, one per judged document, in the order of the lines.

    Raises:
        InputError: for a bad line, or a document that was judged twice for a query with different grades.
    """
    return read_once(path_of(path, "qrels"), QRELS)


def read_once(path: Path, layout: Layout) -> IdRows:
    """The rows of a file that lists a document once per query, or again with the same grade.

    Raises:
        InputError: for a bad line, or the first that contradicts an earlier one.
    """
    rows = read_rows(path, layout)
    if rows.have_repeats():
        _refuse_repeats(path, layout)
    return rows


def _refuse_repeats(path: Path, layout: Layout) -> None:
    first: dict[tuple[str, str], tuple[int, float]] = {}
    for line, (query, document, number) in lines_of(path, layout):
        before, its_number = first.setdefault((query, document), (line, number))
        if before != line and (layout.number == "score" or number != its_number):
            repeat = f"document {document!r} of query {query!r} is already in line {before}"
            raise InputError(f"{path}:{line}: {repeat}; remove one of the two")


def stem_of_run(path: AnyPath) -> str:
    """The default name of the data: the run's file name without suffix."""
    return Path(Path(path).name.removesuffix(".gz")).stem
