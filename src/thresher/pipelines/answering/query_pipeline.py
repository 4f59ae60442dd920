"""A query pipeline: which sockets take the question, and which output is the answer."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import replace
from typing import Any

from haystack import Pipeline
from haystack.dataclasses import ChatMessage, Document

from thresher.errors import InputError
from thresher.judges.engine.account import Account
from thresher.known_secrets import without_secrets_in
from thresher.pipelines.answering.fingerprints import pipeline_fingerprint
from thresher.pipelines.answering.generators import (
    QuestionCalls,
    answering,
    generators_of,
    recorded,
    unpriced,
)
from thresher.pipelines.answering.outputs import REMEDY, may_answer, open_outputs, read_outputs
from thresher.pipelines.answering.reply_cache import ReplyCache
from thresher.pipelines.responses import Response
from thresher.pipelines.snapshots import silence_snapshot_warnings
from thresher.results.secret_values import remember_secrets_of

_QUESTIONS = frozenset({"query", "question"})
"""Names of open sockets that take the question."""
_NEEDED = frozenset({"text"})
"""Names of mandatory sockets that take the question, such as those of text embedders."""
_MESSAGES = "messages"
"""Name of sockets that take the question as the user's message, if no other takes it: those of agents."""


class QueryPipeline:
    """A Haystack pipeline that answers questions, or only searches for documents.

    Args:
        pipeline: a pipeline that ends with an AnswerBuilder, a generator, or the output `answer_from`.
        question_to: sockets that get the question, as `component.socket`; default: all open sockets named
            `query` or `question`, and mandatory sockets named `text`; else those named `messages`. A socket
            named `messages` gets the question as a user message.
        inputs: further inputs, the same for every question, as for `Pipeline.run`.
        answer_from: the output that is the answer, as `component.socket`; default: a GeneratedAnswer, else
            replies of a generator, else the only output called `answers`, `answer`, `response` or `text`.

    Attributes:
        answers: whether it answers; False if it outputs documents and nothing that may be an answer.

    Raises:
        InputError: if a socket does not exist, none takes the question, a mandatory one has no input, or no
            output can be an answer or documents.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        question_to: Sequence[str] | None = None,
        inputs: Mapping[str, Mapping[str, Any]] | None = None,
        answer_from: str | None = None,
    ) -> None:
        remember_secrets_of(pipeline)
        self.pipeline = pipeline
        self.inputs = {part: dict(values) for part, values in (inputs or {}).items()}
        open_sockets = pipeline.inputs()
        self.sockets = (
            _parse_sockets(question_to, open_sockets) if question_to else _question_sockets(open_sockets)
        )
        self._check(open_sockets)
        self.answer_from = _parse_output(answer_from, pipeline) if answer_from else ""
        self.answers = bool(answer_from) or _may_answer(pipeline)
        self.generators = generators_of(pipeline)
        self._sources = [name for name in pipeline.graph.nodes if "documents" in _outputs_of(pipeline, name)]
        self._shown = {*self._sources, *filter(None, [self.answer_from.partition(".")[0]])}

    @property
    def retrieves(self) -> bool:
        """Whether answers may have documents: those of a retriever, or their own."""
        return bool(self._sources) or any(
            "GeneratedAnswer" in str(kind) and _gets_documents(self.pipeline, output.partition(".")[0])
            for output, kind in open_outputs(self.pipeline).items()
        )

    def fingerprint(self) -> str:
        """Hash of the pipeline, and of the inputs that are the same for every question.

        Raises:
            InputError: if the pipeline cannot be serialised.
        """
        return pipeline_fingerprint(self.pipeline, [self.inputs, self.sockets, self.answer_from])

    def respond(
        self,
        questions: Sequence[Any],
        workers: int | Executor,
        done: Callable[[], None] = lambda: None,
        *,
        repeats: Sequence[int] | None = None,
        cache: ReplyCache | None = None,
        account: Account | None = None,
    ) -> list[Response]:
        """Return one response per question.

        Args:
            questions: texts; None has no response.
            workers: number of concurrent runs of the pipeline, or the threads that run it.
            done: called after each response.
            repeats: for each question which repeat of it this is, from 1.
            cache: stored replies of generators; None to call every generator.
            account: counts the use of generators; its prices make the costs.

        Raises:
            InputError: before any generator is called, if the account has a limit on cost and a model has no
                price.
        """
        account = account or Account()
        self.check_prices(account)
        responses: dict[int, Response] = {}
        threads = nullcontext(workers) if isinstance(workers, Executor) else ThreadPoolExecutor(workers)
        with recorded(self.generators), threads as pool, silence_snapshot_warnings():
            jobs = {}
            for item, question in enumerate(questions):
                calls = QuestionCalls(cache, repeats[item] if repeats else 1, account)
                jobs[pool.submit(copy_context().run, self._respond, question, calls)] = item
            for job in as_completed(jobs):
                responses[jobs[job]] = job.result()
                done()
        return [responses[item] for item in range(len(questions))]

    def check_prices(self, account: Account) -> None:
        """Raise if a limit on cost could not be observed.

        Raises:
            InputError: naming a model without a price.
        """
        if account.max_cost is not None:
            for model in unpriced(self.generators, account):
                account.check_price(model)

    def _respond(self, question: Any, calls: QuestionCalls) -> Response:
        if question is None:
            return Response()
        data = {part: dict(values) for part, values in self.inputs.items()}
        for part, socket in self.sockets:
            message = [ChatMessage.from_user(question)] if socket == _MESSAGES else question
            data.setdefault(part, {})[socket] = message
        start = time.perf_counter()
        try:
            with answering(calls):
                outputs = self.pipeline.run(data, include_outputs_from=self._shown)
            response = read_outputs(outputs, self._sources, self.answer_from, answers=self.answers)
        except Exception as error:  # noqa: BLE001  (any error fails this item and no other)
            response = Response.failed(error)
        seconds = time.perf_counter() - start + calls.saved_seconds()
        answer, documents = without_secrets_in(response.answer), response.documents
        if documents is not None:
            documents = [_without_secrets(document) for document in documents]
        usage = calls.usage()
        return replace(response, answer=answer, documents=documents, seconds=round(seconds, 6), **usage)

    def _check(self, open_sockets: Mapping[str, Mapping[str, Any]]) -> None:
        fed = {
            *self.sockets,
            *((part, socket) for part, values in self.inputs.items() for socket in values),
        }
        for part, sockets in open_sockets.items():
            for socket, facts in sockets.items():
                if facts["is_mandatory"] and (part, socket) not in fed:
                    raise InputError(
                        f"the query pipeline needs {part}.{socket}: name it in question_to, or give a value "
                        "in pipeline_inputs"
                    )


def _question_sockets(open_sockets: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    every = [
        (part, socket, facts) for part, sockets in open_sockets.items() for socket, facts in sockets.items()
    ]
    matches = [
        (part, socket)
        for part, socket, facts in every
        if socket in _QUESTIONS or (socket in _NEEDED and facts["is_mandatory"])
    ] or [(part, socket) for part, socket, _ in every if socket == _MESSAGES]
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


def _parse_output(name: str, pipeline: Pipeline) -> str:
    part, _, socket = name.partition(".")
    if part not in pipeline.graph.nodes or socket not in _outputs_of(pipeline, part):
        known = ", ".join(open_outputs(pipeline)) or "none"
        raise InputError(f"answer_from: the query pipeline has no output {name!r}; open are {known}")
    return name


def _without_secrets(document: Document) -> Document:
    """A document without known secrets in what is stored of it: its text and its id."""
    kept = {"id": document.id, "content": document.content}
    clean = without_secrets_in(kept)
    return document if clean == kept else replace(document, **clean)


def _may_answer(pipeline: Pipeline) -> bool:
    """Whether an output may be the answer; False for a pipeline that only searches.

    Raises:
        InputError: if it does neither.
    """
    outputs = open_outputs(pipeline)
    if any(may_answer(name, kind) for name, kind in outputs.items()):
        return True
    if not any(name.endswith(".documents") for name in outputs):
        known = ", ".join(outputs) or "none"
        raise InputError(f"no output of the query pipeline is an answer (open are {known}): {REMEDY}")
    return False


def _gets_documents(pipeline: Pipeline, name: str) -> bool:
    """Whether a component that makes answers may add documents; an AnswerBuilder only if it gets some."""
    part: Any = pipeline.get_component(name)
    socket = part.__haystack_input__._sockets_dict.get("documents")  # noqa: SLF001  # as below
    return socket is None or bool(socket.senders)


def _listed(open_sockets: Mapping[str, Mapping[str, Any]]) -> str:
    names: Iterator[str] = (
        f"{part}.{socket}" for part, sockets in open_sockets.items() for socket in sockets
    )
    return f"open are {', '.join(names) or 'none'}"


def _outputs_of(pipeline: Pipeline, name: str) -> dict[str, Any]:
    part: Any = pipeline.get_component(name)
    return dict(part.__haystack_output__._sockets_dict)  # noqa: SLF001  # Haystack has no public reader
