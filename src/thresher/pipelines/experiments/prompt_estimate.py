"""Tokens of the generators of a query pipeline, estimated from its prompts before there are answers.

Neither a model nor a retriever is called: the prompt builders render the first questions with passages of the
documents, as many as `top_k` lets through.
"""

from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import cycle, islice
from typing import Any

import numpy as np
from haystack import Pipeline
from haystack.components.builders import ChatPromptBuilder, PromptBuilder
from haystack.dataclasses import Document

from thresher.judges.engine.identity import generation_of
from thresher.judges.estimate import CHARACTERS_A_TOKEN
from thresher.pipelines.answering import QueryPipeline

SAMPLE = 20
"""Questions and documents that are rendered: their mean length varies little beyond."""
REPLY = 100
"""Tokens of a reply that no option limits: a short paragraph, as answers of RAG systems are."""
ASSUMED = (
    f"Tokens of generators are estimated: prompts of the first {SAMPLE} questions with top_k passages of the "
    f"first {SAMPLE} documents, {CHARACTERS_A_TOKEN} characters a token; replies of max_tokens, else {REPLY}."
)
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens", "num_predict")
_PREPROCESSORS = "haystack.components.preprocessors"


def estimated_usage(
    query: QueryPipeline, questions: Sequence[Any], passages: Sequence[Document]
) -> tuple[float, float] | None:
    """Return the mean tokens sent and received per question; None if a prompt is not known beforehand.

    That is the case for agents, for prompts that contain replies or outputs of other components, and for
    passages of a store that this process does not hold.

    Args:
        query: the pipeline.
        questions: the questions.
        passages: documents as the store holds them, at least `SAMPLE` if it has so many; empty if unknown.
    """
    pipeline, asked = query.pipeline, [text for text in questions if text is not None][:SAMPLE]
    names = [name for name in pipeline.graph.nodes if pipeline.get_component(name) in query.generators]
    if len(names) < len(query.generators) or not asked:
        return None
    sent = [_mean_length(query, name, asked, passages) for name in names]
    known = [length for length in sent if length is not None]
    if len(known) < len(sent):
        return None
    received = sum(_reply(pipeline.get_component(name)) for name in names)
    return sum(known) / CHARACTERS_A_TOKEN, received


def sample_passages(indexing: Pipeline, documents: Sequence[Any]) -> list[Document]:
    """Return the passages that an indexing pipeline makes of the first documents; none if that is unknown.

    Only Haystack's preprocessors are run. Splitting into sentences needs a model, and files a converter.
    """
    passages = list(documents[:SAMPLE])
    if not all(isinstance(document, Document) for document in passages):
        return []
    for name in _in_order(indexing):
        part: Any = indexing.get_component(name)
        if not type(part).__module__.startswith(_PREPROCESSORS):
            continue
        if getattr(part, "split_by", "") == "sentence":
            return []
        passages = part.run(documents=passages)["documents"]
    return passages


def _reply(generator: Any) -> int:
    options = generation_of(generator)
    return next((limit for name in _LIMITS if isinstance(limit := options.get(name), int)), REPLY)


def _mean_length(
    query: QueryPipeline, generator: str, questions: Sequence[Any], passages: Sequence[Document]
) -> float | None:
    """Mean number of characters of the prompts of a generator."""
    senders = _senders(query.pipeline, generator)
    builders = [sender for sender, socket, _ in senders if socket in ("messages", "prompt")]
    builder: Any = query.pipeline.get_component(builders[0]) if len(builders) == 1 else None
    if not isinstance(builder, ChatPromptBuilder | PromptBuilder):
        return None
    numbers = {
        socket: _retrieved(query, sender) if "Document" in kind else None
        for sender, socket, kind in _senders(query.pipeline, builders[0])
    }
    if None in numbers.values() or (numbers and not passages):
        return None
    asked = [socket for part, socket in query.sockets if part == builders[0]]
    same = query.inputs.get(builders[0], {})
    render: Any = builder.run
    lengths = []
    for place, question in enumerate(questions):
        documents = {socket: _some(passages, place, number or 0) for socket, number in numbers.items()}
        try:
            prompt = render(**same, **documents, **dict.fromkeys(asked, question))["prompt"]
        except Exception:  # noqa: BLE001  # a template may need what only the answering of a question knows
            return None
        lengths.append(len(_text(prompt)))
    return float(np.mean(lengths))


def _some(passages: Sequence[Document], turn: int, number: int) -> list[Document]:
    """Other passages at each turn, so that the lengths of all count; no more than there are."""
    is_all = len(passages) < SAMPLE  # each document has a passage or more
    number = min(number, len(passages)) if is_all else number
    first = turn * number % len(passages)
    return list(islice(cycle(passages), first, first + number))


def _retrieved(query: QueryPipeline, name: str) -> int | None:
    """How many documents a component returns at most: the least `top_k` on the way from the retrievers."""
    given = query.inputs.get(name, {}).get(
        "top_k", getattr(query.pipeline.get_component(name), "top_k", None)
    )
    senders = [sender for sender, _, kind in _senders(query.pipeline, name) if "Document" in kind]
    before = [_retrieved(query, sender) for sender in senders if _in_order(query.pipeline)]
    known = [number for number in before if number is not None]
    limits = [*([sum(known)] if known and len(known) == len(senders) else []), *([given] if given else [])]
    return min(limits, default=None)


def _in_order(pipeline: Pipeline) -> list[str]:
    """Components after those that they depend on; none for a pipeline with a loop."""
    graph = {name: set(pipeline.graph.predecessors(name)) for name in pipeline.graph.nodes}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError:
        return []


def _senders(pipeline: Pipeline, name: str) -> Iterator[tuple[str, str, str]]:
    """Sender, socket and type of the connections to a component."""
    for sender, _, ends in pipeline.graph.in_edges(name, data=True):
        yield sender, ends["to_socket"].name, str(ends["from_socket"].type)


def _text(prompt: Any) -> str:
    return prompt if isinstance(prompt, str) else "".join(message.text or "" for message in prompt)
