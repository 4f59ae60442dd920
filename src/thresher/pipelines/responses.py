"""Answers of a query pipeline, one per question; a failure affects its own item only."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from haystack import GeneratedAnswer, Pipeline
from haystack.dataclasses import ChatMessage, Document

from thresher.errors import InputError
from thresher.results.redaction import redacted_message

_QUESTIONS = frozenset({"query", "question"})
"""Names of open sockets that take the question."""
_NEEDED = frozenset({"text"})
"""Names of mandatory sockets that take the question, such as those of text embedders."""


@dataclass(frozen=True)
class Response:
    """One answer and its documents.

    Attributes:
        answer: the text; None if missing.
        documents: the retrieved documents; None if unknown.
        problem: why there is no answer; empty if there is one, or none was expected.
    """

    answer: str | None = None
    documents: Sequence[Document] | None = None
    problem: str = ""

    @property
    def contexts(self) -> list[str] | None:
        """The texts of the documents."""
        if self.documents is None:
            return None
        return [document.content or "" for document in self.documents]


def read_response(entry: Any) -> Response:
    """Convert a text, a GeneratedAnswer or a ChatMessage; other types become a problem of the item.

    >>> read_response("Paris").answer, read_response(7).problem
    ('Paris', 'the answer is int; give a text or a GeneratedAnswer')
    """
    if entry is None or isinstance(entry, str):
        return Response(entry)
    if isinstance(entry, ChatMessage):
        return Response(entry.text)
    if isinstance(entry, GeneratedAnswer) and isinstance(entry.data, str):
        return Response(entry.data, entry.documents)
    return Response(problem=f"the answer is {type(entry).__name__}; give a text or a GeneratedAnswer")


class QueryPipeline:
    """A Haystack pipeline that answers questions.

    Args:
        pipeline: one that ends with an AnswerBuilder, or with a generator.
        question_to: sockets that get the question, as `component.socket`; default: every open one called
            `query` or `question`, and mandatory ones called `text`.
        inputs: further inputs, the same for every question, as for `Pipeline.run`.

    Raises:
        InputError: if a socket does not exist, none takes the question, or a mandatory one has no input.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        question_to: Sequence[str] | None = None,
        inputs: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._inputs = {part: dict(values) for part, values in (inputs or {}).items()}
        open_sockets = pipeline.inputs()
        self._sockets = (
            _parse_sockets(question_to, open_sockets) if question_to else _question_sockets(open_sockets)
        )
        self._check(open_sockets)
        self._sources = [name for name in pipeline.graph.nodes if "documents" in _outputs_of(pipeline, name)]

    def respond(
        self, questions: Sequence[Any], workers: int, done: Callable[[], None] = lambda: None
    ) -> list[Response]:
        """Return one response per question.

        Args:
            questions: texts; None has no response.
            workers: number of concurrent runs of the pipeline.
            done: called after each response.
        """
        responses: dict[int, Response] = {}
        with ThreadPoolExecutor(workers) as pool:
            jobs = {
                pool.submit(copy_context().run, self._respond, question): item
                for item, question in enumerate(questions)
            }
            for job in as_completed(jobs):
                responses[jobs[job]] = job.result()
                done()
        return [responses[item] for item in range(len(questions))]

    def _respond(self, question: Any) -> Response:
        if question is None:
            return Response()
        data = {part: dict(values) for part, values in self._inputs.items()}
        for part, socket in self._sockets:
            data.setdefault(part, {})[socket] = question
        try:
            outputs = self._pipeline.run(data, include_outputs_from=set(self._sources))
        except Exception as error:  # noqa: BLE001  (any error fails this item and no other)
            cause = error.__cause__ or error
            message = redacted_message(" ".join(str(cause).split())) or "no message"
            return Response(problem=f"the query pipeline failed: {type(cause).__name__}: {message}")
        return self._read(outputs)

    def _read(self, outputs: Mapping[str, Mapping[str, Any]]) -> Response:
        """The answer among the outputs: a GeneratedAnswer if there is one, else a reply."""
        values = [value for part in outputs.values() for value in part.values()]
        entries = [value[0] for value in values if isinstance(value, list) and value]
        answers = [entry for entry in entries if isinstance(entry, GeneratedAnswer)]
        replies = [part["replies"][0] for part in outputs.values() if part.get("replies")]
        if not answers and not replies:
            return Response(problem="the query pipeline gave no answer; end it with an AnswerBuilder")
        response = read_response((answers or replies)[-1])
        if response.documents or response.problem:
            return response
        lists = [outputs[name]["documents"] for name in self._sources if "documents" in outputs.get(name, {})]
        return Response(response.answer, lists[-1] if lists else response.documents)

    def _check(self, open_sockets: Mapping[str, Mapping[str, Any]]) -> None:
        fed = {
            *self._sockets,
            *((part, socket) for part, values in self._inputs.items() for socket in values),
        }
        for part, sockets in open_sockets.items():
            for socket, facts in sockets.items():
                if facts["is_mandatory"] and (part, socket) not in fed:
                    raise InputError(
                        f"the query pipeline needs {part}.{socket}: name it in question_to, or give a value "
                        "in pipeline_inputs"
                    )


def _question_sockets(open_sockets: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    matches = [
        (part, socket)
        for part, sockets in open_sockets.items()
        for socket, facts in sockets.items()
        if socket in _QUESTIONS or (socket in _NEEDED and facts["is_mandatory"])
    ]
    if not matches:
        raise InputError(f"no socket of the query pipeline takes a question: {_listed(open_sockets)}")
    return matches


def _parse_sockets(
    names: Sequence[str], open_sockets: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, str]]:
    if isinstance(names, str):
        raise InputError(f"question_to={names!r} is one name; give a list: [{names!r}]")
    for name in names:
        part, _, socket = name.partition(".")
        if socket not in open_sockets.get(part, {}):
            raise InputError(f"question_to: there is no open socket {name!r}: {_listed(open_sockets)}")
    return [(part, socket) for part, _, socket in (name.partition(".") for name in names)]


def _listed(open_sockets: Mapping[str, Mapping[str, Any]]) -> str:
    names: Iterator[str] = (
        f"{part}.{socket}" for part, sockets in open_sockets.items() for socket in sockets
    )
    return f"open are {', '.join(names) or 'none'}"


def _outputs_of(pipeline: Pipeline, name: str) -> dict[str, Any]:
    part: Any = pipeline.get_component(name)
    return dict(part.__haystack_output__._sockets_dict)  # noqa: SLF001  # Haystack has no public reader
