"""Outputs of a query pipeline: which of them is the answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from haystack import GeneratedAnswer, Pipeline
from haystack.dataclasses import ChatMessage

from thresher.pipelines.responses import Response, read_response

ANSWERS = ("answers", "replies", "answer", "response", "text", "last_message")
"""Names of outputs that may be the answer; the last is that of Haystack's agents."""
REMEDY = "end it with an AnswerBuilder, or name the answer with answer_from='component.socket'"
_UNREADABLE = (dict, int, float, bool, bytes)
"""Types of outputs that are never an answer."""

Outputs = Mapping[str, Mapping[str, Any]]


def read_outputs(
    outputs: Outputs, sources: Sequence[str], answer_from: str = "", *, answers: bool = True
) -> Response:
    """Read the answer and the documents.

    Args:
        outputs: component -> socket -> value.
        sources: components with `documents`; the last one gives the ranking unless the answer has documents.
        answer_from: the output that is the answer; empty for the rules of `QueryPipeline`.
        answers: False for a pipeline that only searches.
    """
    lists = [outputs[name]["documents"] for name in sources if "documents" in outputs.get(name, {})]
    if not answers:
        return Response(documents=lists[-1] if lists else None)
    value, problem = _named(outputs, answer_from) if answer_from else _answer(outputs)
    if problem:
        return Response(problem=problem)
    response = read_response(value)
    if response.answer is None and not response.problem:
        return Response(problem="the query pipeline replied without a text")
    if response.documents or response.problem:
        return response
    return Response(response.answer, lists[-1] if lists else response.documents)


def open_outputs(pipeline: Pipeline) -> dict[str, Any]:
    """Outputs of a pipeline that no component receives: `component.socket` -> type."""
    return {
        f"{part}.{socket}": facts["type"]
        for part, sockets in pipeline.outputs().items()
        for socket, facts in sockets.items()
    }


def may_answer(output: str, kind: Any) -> bool:
    """Whether an output may be the answer, by its name, or because its type holds GeneratedAnswers.

    >>> may_answer("bot.answer", str), may_answer("retriever.documents", list)
    (True, False)
    """
    return output.rpartition(".")[2] in ANSWERS or kind is Any or "GeneratedAnswer" in str(kind)


def _answer(outputs: Outputs) -> tuple[Any, str]:
    """The answer among the outputs, or why there is none."""
    sockets = {f"{part}.{name}": value for part, values in outputs.items() for name, value in values.items()}
    filled = {name: _first(value) for name, value in sockets.items() if _first(value) is not None}
    answers = [value for value in filled.values() if isinstance(value, GeneratedAnswer)]
    replies = [value for name, value in filled.items() if name.endswith(".replies")]
    if answers or replies:
        return (answers or replies)[-1], ""
    named = {name: value for name, value in filled.items() if name.rpartition(".")[2] in ANSWERS}
    texts = {name: value for name, value in named.items() if isinstance(value, str | ChatMessage)}
    if len(texts or named) == 1:
        return next(iter((texts or named).values())), ""
    if named:
        return None, f"{' and '.join(texts or named)} may be the answer; name one with answer_from"
    empty = [name for name in sockets if name.rpartition(".")[2] in ANSWERS]
    if empty:
        return None, f"the query pipeline gave no answer: {' and '.join(empty)} is empty"
    return None, f"the query pipeline gave no answer; {REMEDY}"


def _named(outputs: Outputs, answer_from: str) -> tuple[Any, str]:
    part, _, socket = answer_from.partition(".")
    value = _first(outputs.get(part, {}).get(socket))
    return value, "" if value is not None else f"the query pipeline gave no {answer_from}"


def _first(value: Any) -> Any:
    """The value, or the first entry of a list; None if it is empty."""
    if isinstance(value, list | tuple):
        return value[0] if value else None
    return value
