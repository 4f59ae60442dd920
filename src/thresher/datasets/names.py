"""Which column means what: the names that users of other frameworks already have."""

import difflib
import keyword
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from thresher.datasets._table import Table, listed
from thresher.datasets._values import is_empty
from thresher.errors import InputError
from thresher.results import VOCABULARY
from thresher.results.nearest import meant


@dataclass(frozen=True)
class KnownName:
    """One column name that is understood without being told.

    Attributes:
        column: the name; matched regardless of case, and camelCase, blanks and hyphens as underscores.
        socket: what it means.
        used_by: the frameworks and formats that call it so.
        condition: when it means that; empty when always.
    """

    column: str
    socket: str
    used_by: str
    condition: str = ""


KNOWN_NAMES = (
    KnownName("id", "ids", "SQuAD, Hugging Face data sets"),
    KnownName("_id", "ids", "BEIR"),
    KnownName("item_id", "ids", "general use"),
    KnownName("sample_id", "ids", "general use"),
    KnownName("query_id", "ids", "Haystack, BEIR"),
    KnownName("query_ids", "ids", "Haystack"),
    KnownName("question_id", "ids", "question answering data sets"),
    KnownName("qid", "ids", "TREC"),
    KnownName("question", "questions", "Haystack, ragas before 0.2, SQuAD"),
    KnownName("query", "questions", "LlamaIndex, Haystack answers, Valor"),
    KnownName("queries", "questions", "LlamaIndex"),
    KnownName("user_input", "questions", "ragas"),
    KnownName("input", "questions", "DeepEval"),
    KnownName("predicted_answer", "predicted_answers", "Haystack"),
    KnownName("response", "predicted_answers", "ragas, LlamaIndex, Valor"),
    KnownName("responses", "predicted_answers", "LlamaIndex"),
    KnownName("actual_output", "predicted_answers", "DeepEval"),
    KnownName(
        "answer",
        "predicted_answers",
        "ragas before 0.2",
        "it holds texts, and no other column holds predicted answers",
    ),
    KnownName(
        "answer",
        "ground_truth_answers",
        "Haystack",
        "another column holds predicted answers, or it holds lists",
    ),
    KnownName("ground_truth_answer", "ground_truth_answers", "Haystack"),
    KnownName("true_answer", "ground_truth_answers", "Haystack"),
    KnownName("true_answers", "ground_truth_answers", "Haystack"),
    KnownName("reference", "ground_truth_answers", "ragas, LlamaIndex"),
    KnownName("references", "ground_truth_answers", "general use"),
    KnownName("ground_truth", "ground_truth_answers", "ragas before 0.2"),
    KnownName(
        "ground_truths", "ground_truth_answers", "ragas before 0.1", "there is no column `predictions`"
    ),
    KnownName("expected_output", "ground_truth_answers", "DeepEval"),
    KnownName("answers", "ground_truth_answers", "SQuAD, Hugging Face data sets"),
    KnownName("second_predicted_answer", "second_predicted_answers", "general use"),
    KnownName("second_response", "second_predicted_answers", "LlamaIndex"),
    KnownName("response_a", "predicted_answers", "Prometheus"),
    KnownName("responses_a", "predicted_answers", "Prometheus"),
    KnownName("response_b", "second_predicted_answers", "Prometheus"),
    KnownName("responses_b", "second_predicted_answers", "Prometheus"),
    KnownName("retrieved_contexts", "contexts", "ragas"),
    KnownName("retrieval_context", "contexts", "DeepEval"),
    KnownName("context", "contexts", "SQuAD", "it holds texts, and no other column holds contexts"),
    KnownName(
        "context", "ground_truth_contexts", "SQuAD", "it holds texts beside another column of contexts"
    ),
    KnownName(
        "context",
        "ground_truth_contexts",
        "DeepEval",
        "it holds lists beside contexts or DeepEval's other names",
    ),
    KnownName("reference_contexts", "ground_truth_contexts", "ragas"),
    KnownName("documents", "retrieved_documents", "Haystack"),
    KnownName("retrieved_ids", "retrieved_documents", "LlamaIndex"),
    KnownName("retrieved_context_ids", "retrieved_documents", "ragas"),
    KnownName("expected_ids", "ground_truth_documents", "LlamaIndex"),
    KnownName("reference_context_ids", "ground_truth_documents", "ragas"),
    KnownName("y_true", "ground_truths", "scikit-learn", "a column of predicted labels is there"),
    KnownName("true_label", "ground_truths", "general use", "a column of predicted labels is there"),
    KnownName("true_class", "ground_truths", "general use", "a column of predicted labels is there"),
    KnownName("y_pred", "predictions", "scikit-learn", "a column of true labels is there"),
    KnownName("predicted_label", "predictions", "general use", "a column of true labels is there"),
    KnownName("predicted_class", "predictions", "general use", "a column of true labels is there"),
)

_BY_NAME = {known.column: known.socket for known in KNOWN_NAMES if not known.condition}
_CONDITIONAL = frozenset(known.column for known in KNOWN_NAMES if known.condition)
_LABELS = {
    known.column: known.socket for known in KNOWN_NAMES if known.socket in {"ground_truths", "predictions"}
}
_DEEPEVAL = frozenset({"input", "actual_output", "expected_output", "retrieval_context"})
_NEAR = 0.85  # similarity from which an unknown target is taken for a misspelt socket


def known_socket(column: str) -> str | None:
    """What a column name means by itself; None when unknown, or when it depends on the other columns."""
    key = _key(column)
    if key in _CONDITIONAL:
        return None
    return key if key in VOCABULARY else _BY_NAME.get(key)


def name_columns(table: Table, mapping: Mapping[str, str]) -> dict[str, str]:
    """The name of each column in the data set: a socket's where the meaning is known, else its own.

    Args:
        table: the columns as read. Nested ones keep their own names unless mapped.
        mapping: column -> socket or other name; stands above every guess.

    Raises:
        InputError: for a mapping that cannot be meant, and for two columns with one meaning.
    """
    _check_mapping(table, mapping)
    guesses = {
        column: socket
        for column, socket in _guesses(table, mapping).items()
        if socket not in mapping.values() or socket == column
    }
    names = {column: mapping.get(column) or guesses.get(column) or column for column in table.columns}
    owners: dict[str, str] = {}
    for column, name in names.items():
        if name in owners:
            raise _twice(table, mapping, owners[name], column, name)
        owners[name] = column
    return names


def _guesses(table: Table, mapping: Mapping[str, str]) -> dict[str, str]:
    open_columns = [
        column for column in table.columns if column not in mapping and column not in table.nested
    ]
    guesses = {column: socket for column in open_columns if (socket := known_socket(column))}
    told = {*guesses.values(), *mapping.values()}
    for column in open_columns:
        if socket := _conditional(table, column, told):
            guesses[column] = socket
    return guesses


def _conditional(table: Table, column: str, told: Collection[str]) -> str | None:
    """What a name means that several frameworks use differently; None if that cannot be told."""
    key = _key(column)
    if key == "answer":
        gold = "predicted_answers" in told or isinstance(_first(table, column), list)
        return "ground_truth_answers" if gold else "predicted_answers"
    if key in _LABELS:
        both = {_LABELS.get(name, name) for name in map(_key, table.columns)} >= set(_LABELS.values())
        return _LABELS[key] if both else None
    if key == "ground_truths":
        return None if "predictions" in {_key(name) for name in table.columns} else "ground_truth_answers"
    if key != "context":
        return None
    if _holds_lists(table, column):
        gold = "contexts" in told or not _DEEPEVAL.isdisjoint(map(_key, table.columns))
        return "ground_truth_contexts" if gold else None
    return "ground_truth_contexts" if "contexts" in told else "contexts"


def _holds_lists(table: Table, column: str) -> bool:
    first = _first(table, column)
    written = table.lists_as_text and isinstance(first, str) and first.lstrip().startswith("[")
    return written or isinstance(first, list)


def _first(table: Table, column: str) -> Any:
    return next((entry for entry in table.columns[column] if not is_empty(entry)), None)


def _check_mapping(table: Table, mapping: Mapping[str, str]) -> None:
    for column, target in mapping.items():
        if column not in table.columns:
            raise _unknown_column(table, column, target)
        _check_target(column, target)
    targets = list(mapping.values())
    for target in targets:
        if targets.count(target) > 1:
            both = " and ".join(repr(column) for column, name in mapping.items() if name == target)
            raise InputError(f"{both} are both mapped to {target}; map one column to it")


def _unknown_column(table: Table, column: Any, target: Any) -> InputError:
    if isinstance(target, str) and target in table.columns and known_socket(str(column)):
        return InputError(f"--map {column}={target} is the wrong way round; write --map {target}={column}")
    told = f"{column!r}{meant(column, table.columns)}; it has {listed(table.columns)}"
    return InputError(f"--map {column}={target}: {table.source} has no column {told}")


def _check_target(column: str, target: Any) -> None:
    if isinstance(target, str) and target in VOCABULARY:
        return
    if not isinstance(target, str) or not target.isidentifier() or keyword.iskeyword(target):
        raise InputError(f"--map {column}={target}: give a socket, or a plain name of letters, digits and _")
    meant = dict.fromkeys(known.socket for known in KNOWN_NAMES if known.column == _key(target))
    near = list(meant) or difflib.get_close_matches(target, VOCABULARY, n=1, cutoff=_NEAR)
    if near:
        told = " or ".join(f"--map {column}={socket}" for socket in near)
        raise InputError(f"--map {column}={target}: no socket is called {target!r}; write {told}")


def _twice(table: Table, mapping: Mapping[str, str], first: str, second: str, name: str) -> InputError:
    if first in mapping or second in mapping:
        told, other = (first, second) if first in mapping else (second, first)
        remedy = f"give {other!r} another name with --map {other}=NAME"
        return InputError(f"{table.source}: {told!r} is mapped to {name}, as {other!r} is called; {remedy}")
    remedy = f"say which one counts with --map {first}={name}"
    return InputError(f"{table.source}: columns {first!r} and {second!r} both mean {name}; {remedy}")


def _key(column: str) -> str:
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column.strip())
    return re.sub(r"[\s-]+", "_", parted).lower()
