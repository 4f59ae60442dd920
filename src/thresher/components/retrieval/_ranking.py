"""From the two sockets of a retrieval metric to the ranks of the relevant documents."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from thresher.components.retrieval._documents import Compared, read_documents
from thresher.errors import InputError
from thresher.kernels.retrieval.column_matching import match_columns
from thresher.kernels.retrieval.matching import match
from thresher.kernels.retrieval.order import TieRule, ranking
from thresher.kernels.retrieval.ranked_gains import RankedGains
from thresher.kernels.retrieval.scored_ids import ScoredIds


@dataclass(frozen=True)
class Matching:
    """The settings that decide which documents are the same, how they are ranked and graded.

    Attributes:
        field: what Documents are compared by.
        grade_field: where a relevant Document keeps its grade; None where it has none.
        ties: the tie rule.
    """

    field: str
    grade_field: str | None
    ties: TieRule


@dataclass(frozen=True)
class Ranking:
    """All items of a run, matched.

    Attributes:
        gains: the relevant documents and their ranks; items that lack an input have none.
        incomparable: items whose relevant documents all lack the field that they are compared by.
    """

    gains: RankedGains
    incomparable: tuple[int, ...]


def rank(retrieved: Collection[Any], ground_truth: Collection[Any], matching: Matching) -> Ranking:
    """Match each item's retrieved documents with its relevant ones.

    Columns of ids that are kept as arrays, and ranked by the tie rule wanted, are matched as arrays.

    Raises:
        InputError: for an entry that cannot be read; names the item and the socket.
    """
    if (
        isinstance(retrieved, ScoredIds)
        and isinstance(ground_truth, ScoredIds)
        and matching.ties in {"input-order", retrieved.order}
    ):
        return Ranking(match_columns(retrieved, ground_truth), ())
    ranked: list[list[Compared]] = []
    judged: list[dict[Compared, float]] = []
    incomparable = []
    for item, (found, wanted) in enumerate(zip(retrieved, ground_truth, strict=True)):
        ranked.append([] if found is None else _ranked(item, found, matching))
        judged.append({} if wanted is None else _judged(item, wanted, matching))
        if wanted and not judged[-1]:
            incomparable.append(item)
    return Ranking(match(ranked, judged), tuple(incomparable))


def _ranked(item: int, entry: Any, matching: Matching) -> list[Compared]:
    """What an item's documents are compared by, best first."""
    where = f"retrieved_documents[{item}]"
    if matching.ties == "input-order":
        if isinstance(entry, Mapping):
            raise InputError(f"{where} is a mapping, which has no order: set ties to trec or stable-score")
        return [document for document, _ in _read(where, entry, matching.field, None)]
    documents = _read(where, entry, matching.field, "score")
    scores = [score for _, score in documents if score is not None]
    if len(scores) < len(documents):
        raise InputError(f"{where} has documents without a score: set ties to input-order, or give scores")
    order = ranking(
        scores, ["" if document is None else str(document) for document, _ in documents], matching.ties
    )
    return [documents[place][0] for place in order]


def _judged(item: int, entry: Any, matching: Matching) -> dict[Compared, float]:
    """Grade of each relevant document; 1 where none is given, the highest where it is given twice."""
    grades: dict[Compared, float] = {}
    for document, grade in _read(
        f"ground_truth_documents[{item}]", entry, matching.field, matching.grade_field
    ):
        if document is not None:
            given = 1.0 if grade is None else grade
            grades[document] = max(given, grades.get(document, given))
    return grades


def _read(
    where: str, entry: Any, field: str, number_field: str | None
) -> list[tuple[Compared, float | None]]:
    try:
        return list(read_documents(entry, field, number_field))
    except InputError as error:
        raise InputError(f"{where}{error}") from None
