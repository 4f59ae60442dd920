"""Data of questions, and the same data with the answers of a query pipeline."""

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset, read_dataset
from thresher.datasets._opened import warn_of
from thresher.errors import DataWarning, InputError
from thresher.metrics import PositiveCount, check_option
from thresher.pipelines.answering.document_ids import retrieved
from thresher.pipelines.answering.query_pipeline import QueryPipeline
from thresher.pipelines.responses import Response
from thresher.reports.collector import EvaluationResultsCollector
from thresher.reports.runs.grouping import REPEATS
from thresher.results import FrozenColumn
from thresher.results.column_names import key_of
from thresher.results.column_roles import path_of, without_guesses
from thresher.results.vocabulary import is_output
from thresher.surface import reading_with

QUESTIONS, ANSWERS = "questions", "predicted_answers"
RETRIEVED, RELEVANT = "retrieved_documents", "ground_truth_documents"
_DOCUMENTS = ("contexts", "rankings")
_USAGE = ("seconds", "input_tokens", "output_tokens")
COSTS = "costs"
NOT_ASKED = "not asked: the run ended before"
"""Reason of items whose question was not asked."""


def question_data(
    source: Any, query: QueryPipeline | None = None, mapping: Mapping[str, str] | None = None
) -> Dataset:
    """Read questions and what metrics compare the answers with.

    Columns with outputs of a system are left out, since the pipeline produces them. A column `answer`, or
    one in `outputs` as in data sets of LangSmith, without other references holds the references.

    Args:
        source: a Dataset, a list of texts, or anything that `read_dataset` reads.
        query: the pipeline; contexts and documents of the source are kept if it retrieves none.
        mapping: column -> socket, for names that are not recognised; for any other source than a Dataset.

    Raises:
        InputError: if there are no questions.
    """
    if isinstance(source, Sequence) and not isinstance(source, str) and all(map(_is_text, source)):
        source = {QUESTIONS: list(source)}
    data = source if isinstance(source, Dataset) else _read(source, mapping or {})
    if QUESTIONS not in data.columns:
        names = ", ".join(data.columns) or "none"
        raise InputError(
            f"{data.name} has no questions: it has {names}; rename the column of questions with "
            f"{reading_with(('COLUMN', QUESTIONS))}"
        )
    given = set() if query is None or query.retrieves else {"contexts", RETRIEVED}
    columns = {name: column for name, column in data.columns.items() if name in given or not is_output(name)}
    if data is not source:
        unused = {column: name for name, column in data.origin.items() if name not in {*columns, "ids"}}
        data = replace(data, notes=tuple(without_guesses(data.notes, unused)))
        warn_of(data.notes)
    return replace(data, columns=columns)


def repeated(data: Dataset, repeats: int) -> Dataset:
    """Every question `repeats` times, as `id#1`, `id#2`, ...; the column `repeat_of` has its own id.

    Raises:
        InputError: if `repeats` is not a whole number of at least 1.
    """
    check_option("repeats", repeats, PositiveCount)
    if repeats == 1:
        return data
    rows = [(row, number) for row, number in product(range(len(data)), range(1, repeats + 1))]
    ids = [f"{data.ids[row]}#{number}" for row, number in rows]
    columns = {name: FrozenColumn(column[row] for row, _ in rows) for name, column in data.columns.items()}
    columns[REPEATS] = FrozenColumn(data.ids[row] for row, _ in rows)
    return replace(data, ids=FrozenColumn(ids), columns=columns)


def repeat_numbers(items: int, repeats: int) -> list[int]:
    """For each of `items` rows of `repeated` which repeat it is."""
    return [1 + row % repeats for row in range(items)]


def answer_columns(
    query: QueryPipeline, data: Dataset, sockets: Collection[str], *, priced: bool
) -> list[str]:
    """Names of the columns that a query pipeline adds.

    Args:
        query: the pipeline.
        data: the questions; their existing columns are not replaced.
        sockets: inputs of the metrics.
        priced: whether tokens have prices.
    """
    names = [
        *([ANSWERS] if query.answers else []),
        *(_DOCUMENTS if query.retrieves else ()),
        *_USAGE[: None if query.generators else 1],
    ]
    names += [RETRIEVED] if query.retrieves and RETRIEVED in sockets else []
    names += [COSTS] if query.generators and (priced or COSTS in sockets) else []
    return [name for name in names if name not in data.columns]


def sockets_of(evaluation: Pipeline) -> set[str]:
    """Columns that the metrics of an evaluation pipeline read."""
    parts = {name: evaluation.get_component(name) for name in evaluation.graph.nodes}
    metrics = [name for name, part in parts.items() if not isinstance(part, EvaluationResultsCollector)]
    return {socket for name in metrics for socket in evaluation.inputs().get(name, {})}


def answered(data: Dataset, names: Sequence[str], responses: Sequence[Response | None]) -> Dataset:
    """The questions with the columns of their answers."""
    read: dict[str, Callable[[Response], Any]] = {
        ANSWERS: lambda response: response.answer,
        "contexts": lambda response: response.contexts,
        "rankings": lambda response: response.ranking,
        COSTS: lambda response: response.cost,
    }
    columns = {
        name: FrozenColumn(
            None if response is None else read[name](response) if name in read else getattr(response, name)
            for response in responses
        )
        for name in names
        if name != RETRIEVED
    }
    if RETRIEVED in names:
        columns[RETRIEVED] = FrozenColumn(retrieved(responses, data.columns.get(RELEVANT, ())))
    return replace(data, columns={**data.columns, **columns})


def problems(responses: Sequence[Response | None]) -> dict[int, str]:
    """Items without an answer because the pipeline failed or was not asked, and why."""
    reasons = {
        item: NOT_ASKED if response is None else response.problem for item, response in enumerate(responses)
    }
    return {item: reason for item, reason in reasons.items() if reason}


def _read(source: Any, mapping: Mapping[str, str]) -> Dataset:
    source = str(source) if isinstance(source, Path) else source
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        data = read_dataset(source, mapping=mapping)
    column = data.origin.get(ANSWERS, "")
    is_reference = column == "answer" or key_of(path_of(column)[0]) == "outputs"
    if is_reference and column not in mapping and "ground_truth_answers" not in data.columns:
        columns = {_reference(name): column for name, column in data.columns.items()}
        notes = tuple(without_guesses(data.notes, {column: ANSWERS}))
        notes = tuple(note for note in notes if "'answer'" not in note)
        if column != "answer":
            guess = f"read {column!r} as ground_truth_answers, since questions need references"
            notes += (f"{guess}; if that is wrong, pass {reading_with((column, ANSWERS))}",)
        origin = {_reference(name): column for name, column in data.origin.items()}
        data = replace(data, columns=columns, origin=origin, notes=notes)
    return data


def _reference(name: str) -> str:
    return "ground_truth_answers" if name == ANSWERS else name


def _is_text(entry: Any) -> bool:
    return isinstance(entry, str)
