"""From the inputs of a retrieval metric to the ranks of the relevant documents."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from thresher.errors import InputError
from thresher.kernels.retrieval.column_matching import match_columns
from thresher.kernels.retrieval.matching import match
from thresher.kernels.retrieval.order import TieRule, ranking
from thresher.kernels.retrieval.ranked_gains import RankedGains
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.metrics.retrieval.documents import Compared, DocumentReader
from thresher.metrics.retrieval.mismatch import check_same_documents, check_same_field


@dataclass(frozen=True)
class Matching:
    """The settings that decide which documents are the same, how they are ranked and graded.

    Attributes:
        field: field that Documents are compared by.
        grade_field: field with the grade of a relevant Document; None for no grades.
        ties: the tie rule.
    """

    field: str
    grade_field: str | None
    ties: TieRule


@dataclass(frozen=True)
class Ranking:
    """All items of a run, matched.

    Attributes:
        gains: the relevant documents and their ranks; none for items without an input.
        incomparable: items whose relevant documents all lack the compared field.
    """

    gains: RankedGains
    incomparable: tuple[int, ...]


def rank(retrieved: Collection[Any], ground_truth: Collection[Any], matching: Matching) -> Ranking:
    """Match each item's retrieved documents with its relevant ones.

    Columns of ids in arrays that are already ranked by the tie rule are matched as arrays.

    Raises:
        InputError: for an entry that cannot be read, and for ids that equal another field of Documents than
            the one compared; names the item and the input.
    """
    if (
        isinstance(retrieved, ScoredIds)
        and isinstance(ground_truth, ScoredIds)
        and matching.ties in {"input-order", retrieved.order}
    ):
        return Ranking(match_columns(retrieved, ground_truth), ())
    by_score = matching.ties != "input-order"
    retrieved_reader = DocumentReader(matching.field, "score" if by_score else None)
    relevant_reader = DocumentReader(matching.field, matching.grade_field)
    ranked: list[list[Compared]] = []
    judged: list[dict[Compared, float]] = []
    incomparable = []
    for item, (entry, relevant) in enumerate(zip(retrieved, ground_truth, strict=True)):
        ranked.append(_ranked(item, entry, retrieved_reader, matching.ties))
        judged.append(_judged(item, relevant, relevant_reader))
        if relevant and not judged[-1]:
            incomparable.append(item)
        elif entry and relevant and judged[-1].keys().isdisjoint(ranked[-1]):
            check_same_field(item, entry, relevant, matching.field)
            if None in ranked[-1]:
                check_same_documents(item, entry, relevant, matching.field)
    return Ranking(match(ranked, judged), tuple(incomparable))


def _ranked(item: int, entry: Any, reader: DocumentReader, ties: TieRule) -> list[Compared]:
    """Return the compared values of an item's documents, best first; none if the entry is missing."""
    try:
        return [] if entry is None else _in_order(entry, reader, ties)
    except InputError as error:
        raise InputError(f"retrieved_documents[{item}]{error}") from None


def _in_order(entry: Any, reader: DocumentReader, ties: TieRule) -> list[Compared]:
    if ties == "input-order":
        if isinstance(entry, Mapping):
            raise InputError(" is a mapping, which has no order: set ties to trec or stable-score")
        return reader.read(entry)[0]
    documents, numbers = reader.read(entry)
    scores = [number for number in numbers if number is not None]
    if len(scores) < len(documents):
        raise InputError(" has documents without a score: set ties to input-order, or give scores")
    docnos = ["" if document is None else str(document) for document in documents]
    return [documents[place] for place in ranking(scores, docnos, ties)]


def _judged(item: int, entry: Any, reader: DocumentReader) -> dict[Compared, float]:
    """Return the grade of each relevant document: 1 if none is given, the highest of several."""
    try:
        documents, numbers = ([], []) if entry is None else reader.read(entry)
    except InputError as error:
        raise InputError(f"ground_truth_documents[{item}]{error}") from None
    grades: dict[Compared, float] = {}
    for document, number in zip(documents, numbers, strict=True):
        grade = 1.0 if number is None else number
        if document is not None and grade >= grades.get(document, grade):
            grades[document] = grade
    return grades
