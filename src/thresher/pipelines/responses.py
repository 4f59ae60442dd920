"""What a query pipeline returned for one question: an answer, documents and usage, or why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from haystack import GeneratedAnswer
from haystack.core.errors import PipelineRuntimeError
from haystack.dataclasses import ChatMessage, Document

from thresher.files.texts import without_lone_surrogates
from thresher.judges.engine.transport import trouble
from thresher.results.redaction import redacted_message


@dataclass(frozen=True)
class Response:
    """The answer to one question and its documents.

    Attributes:
        answer: the text; None if missing.
        documents: the retrieved documents, best first; None if unknown.
        problem: why there is no answer; empty if there is one, or none was expected.
        component: name of the component that failed; empty if none did.
        error: class of its exception.
        passing: whether the same question may succeed later: a rate limit, a time-out, a lost connection.
        seconds: time to answer, as if no reply had been cached; None if unknown.
        input_tokens: tokens sent to generators; None if they report none.
        output_tokens: tokens received; None if generators report none.
        cost: price of these tokens; None without a price of each model.
    """

    answer: str | None = None
    documents: Sequence[Document] | None = None
    problem: str = ""
    component: str = ""
    error: str = ""
    passing: bool = False
    seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None

    @classmethod
    def failed(cls, error: Exception) -> Self:
        """The response of a pipeline that raised."""
        cause = error.__cause__ or error
        where = (error.component_name or "") if isinstance(error, PipelineRuntimeError) else ""
        message = redacted_message(" ".join(str(cause).split())) or "no message"
        kind = type(cause).__name__
        place = f" in {where}" if where else ""
        problem = f"the query pipeline failed{place}: {kind}: {message}"
        return cls(problem=problem, component=where, error=kind, passing=trouble(cause).passing)

    @property
    def contexts(self) -> list[str] | None:
        """The texts of the documents."""
        if self.documents is None:
            return None
        return [document.content or "" for document in self.documents]

    @property
    def ranking(self) -> list[list[Any]] | None:
        """Id and score of the documents, best first; the score is None if the retriever gave none."""
        if self.documents is None:
            return None
        return [[document.id, document.score] for document in self.documents]


def read_response(entry: Any) -> Response:
    """Convert a text, a GeneratedAnswer or a ChatMessage; other types become a problem of the item.

    >>> read_response("Paris").answer, read_response(7).problem
    ('Paris', 'the answer is int; give a text or a GeneratedAnswer')
    """
    if entry is None or isinstance(entry, str):
        return Response(None if entry is None else without_lone_surrogates(entry))
    if isinstance(entry, ChatMessage):
        return read_response(entry.text)
    if isinstance(entry, GeneratedAnswer) and isinstance(entry.data, str):
        return Response(without_lone_surrogates(entry.data), entry.documents)
    return Response(problem=f"the answer is {type(entry).__name__}; give a text or a GeneratedAnswer")
