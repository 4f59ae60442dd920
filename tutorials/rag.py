"""The question-answering system of the tutorials: a Haystack pipeline in eight configurations.

A configuration is a search (BM25 or embeddings), a chunk size and a number of chunks, `top_k`. The model that
writes the answers is any Haystack ChatGenerator; here it is a recording, which replays what a real model
answered when `tutorials/record.py` asked it. `searching` and `answering` make the pipelines of an experiment.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from thresher import load_recipe
from thresher.kernels.text.embeddings import encode_sentence
from thresher.pipelines.recorded_generator import RecordedGenerator

DATA = Path(__file__).parent / "data"
ANSWERS, RAG_JUDGEMENTS = DATA / "answers.json.gz", DATA / "rag_judgements.json.gz"
JUDGEMENTS, PROBE = DATA / "judgements.json.gz", DATA / "probe.json.gz"
FIRST_ANSWERS, BM25_ANSWERS = DATA / "first_answers.jsonl", DATA / "bm25_answers.jsonl"
TEMPLATE = [
    ChatMessage.from_system(
        "Answer the question in one short sentence, from the passages alone. "
        'If they do not hold the answer, reply "The passages do not say."'
    ),
    ChatMessage.from_user(
        "{% for document in documents %}Passage: {{ document.content | trim }}\n{% endfor %}"
        "Question: {{ question }}"
    ),
]


@dataclass(frozen=True)
class Configuration:
    """How passages are cut, searched and handed over.

    Attributes:
        search: `bm25` or `embeddings`.
        chunk: words of a chunk, which overlaps the one before by a fifth.
        top_k: chunks that the model is shown.
    """

    search: str
    chunk: int
    top_k: int

    @property
    def name(self) -> str:
        """As runs are called in the reports."""
        return f"{self.search}-{self.chunk}-top{self.top_k}"


GRID = {"search": ["bm25", "embeddings"], "chunk": [25, 100], "top_k": [1, 3]}
"""What an experiment varies; the names are keywords of `searching` and `answering`."""
CONFIGURATIONS = [Configuration(*options) for options in product(*GRID.values())]
FINALISTS = [
    Configuration("embeddings", 100, 3),
    Configuration("bm25", 100, 3),
]
"""Two whose answers people have labelled, in tutorial 4."""
JUDGED, SEED = 12, 2
"""Questions of the sample that the `rag` recipe judges, and the seed that they are drawn with."""


@cache
def embedding_of(text: str) -> tuple[float, ...]:
    """The embedding of a text: 512 numbers, computed once however many configurations search with it."""
    return tuple(encode_sentence(text).tolist())


@component
class SentenceEmbedder:
    """A text embedder for Haystack that runs offline: the encoder of the extra `semantic`."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        """Embed one text.

        Args:
            text: what to embed.

        Returns:
            `embedding`: 512 numbers.
        """
        return {"embedding": list(embedding_of(text))}


@component
class Writer:
    """A ChatGenerator of any kind as a component of a pipeline.

    Args:
        chat_generator: who writes.
    """

    def __init__(self, chat_generator: Any) -> None:
        self.chat_generator = chat_generator

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """Write an answer.

        Args:
            messages: the prompt.

        Returns:
            `replies`: a list of one message.
        """
        return {"replies": self.chat_generator.run(messages)["replies"][:1]}


def read_lines(name: str) -> list[dict[str, Any]]:
    """The rows of a JSONL file of `tutorials/data`."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def store_of(
    passages: Iterable[dict[str, Any]], chunk: int, search: str = "embeddings"
) -> InMemoryDocumentStore:
    """The passages, cut into chunks that know their passage; those that BM25 searches have no embeddings."""
    documents = [Document(id=row["id"], content=row["text"], meta={"passage": row["id"]}) for row in passages]
    splitter = DocumentSplitter(split_by="word", split_length=chunk, split_overlap=chunk // 5)
    chunks = splitter.run(documents)["documents"]
    embedded = [
        Document(
            id=f"{chunk.meta['passage']}-{chunk.meta['split_id']}",
            content=(chunk.content or "").strip(),
            meta={"passage": chunk.meta["passage"]},
            embedding=list(embedding_of(chunk.content or "")) if search == "embeddings" else None,
        )
        for chunk in chunks
    ]
    store = InMemoryDocumentStore()
    store.write_documents(embedded)
    return store


def rag_pipeline(
    store: InMemoryDocumentStore, configuration: Configuration, chat_generator: Any = None
) -> Pipeline:
    """Search, prompt, answer; without a generator it only searches."""
    pipeline = Pipeline()
    if configuration.search == "bm25":
        pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=configuration.top_k))
    else:
        pipeline.add_component("embedder", SentenceEmbedder())
        pipeline.add_component("retriever", InMemoryEmbeddingRetriever(store, top_k=configuration.top_k))
        pipeline.connect("embedder.embedding", "retriever.query_embedding")
    if chat_generator is not None:
        pipeline.add_component("prompt", ChatPromptBuilder(TEMPLATE, required_variables="*"))
        is_component = hasattr(chat_generator, "__haystack_input__")
        pipeline.add_component("writer", chat_generator if is_component else Writer(chat_generator))
        pipeline.connect("retriever.documents", "prompt.documents")
        pipeline.connect("prompt.prompt", "writer.messages")
    return pipeline


@cache
def stored(chunk: int, search: str) -> InMemoryDocumentStore:
    """The store of the corpus, filled once."""
    return store_of(read_lines("corpus.jsonl"), chunk, search)


def searching(search: str, chunk: int, top_k: int) -> Pipeline:
    """A configuration that only searches."""
    return rag_pipeline(stored(chunk, search), Configuration(search, chunk, top_k))


def answering(search: str, chunk: int, top_k: int) -> Pipeline:
    """A configuration whose answers are recorded."""
    configuration = Configuration(search, chunk, top_k)
    return rag_pipeline(stored(chunk, search), configuration, RecordedGenerator(str(ANSWERS)))


def answered(pipeline: Pipeline, configuration: Configuration, row: dict[str, Any]) -> dict[str, Any]:
    """The row of a question, with what was found and, if the pipeline writes, what was answered."""
    socket = ("retriever", "query") if configuration.search == "bm25" else ("embedder", "text")
    writes = "writer" in pipeline.graph.nodes
    asked = {socket[0]: {socket[1]: row["question"]}}
    if writes:
        asked["prompt"] = {"question": row["question"]}
    out = pipeline.run(asked, include_outputs_from={"retriever"})
    found = out["retriever"]["documents"]
    return {
        **row,
        "retrieved_documents": list(dict.fromkeys(document.meta["passage"] for document in found)),
        "contexts": [document.content or "" for document in found],
        **({"predicted_answer": (out["writer"]["replies"][0].text or "").strip()} if writes else {}),
    }


def run_configurations(
    configurations: Iterable[Configuration], chat_generator: Any = None
) -> dict[str, list[dict[str, Any]]]:
    """Rows of every configuration, by its name; without a generator they are not answered.

    A question is answered by all of them before the next one: a recording that stops has whole questions.
    """
    questions = read_lines("questions.jsonl")
    pipelines = {
        each: rag_pipeline(stored(each.chunk, each.search), each, chat_generator) for each in configurations
    }
    rows: dict[str, list[dict[str, Any]]] = {configuration.name: [] for configuration in pipelines}
    for question in questions:
        for configuration, pipeline in pipelines.items():
            rows[configuration.name].append(answered(pipeline, configuration, question))
    return rows


def judged_questions(number: int = JUDGED) -> list[str]:
    """Ids of a random sample in which every kind of question has its share; a larger one holds a smaller.

    Within a kind the order is drawn; then the kinds are dealt out evenly, like spokes of one wheel.
    """
    draw = np.random.default_rng(SEED)
    kinds: dict[str, list[str]] = {}
    for row in read_lines("questions.jsonl"):
        kinds.setdefault(row["kind"], []).append(row["id"])
    places = [
        ((place + 0.5) / len(ids), str(id_))
        for ids in kinds.values()
        for place, id_ in enumerate(draw.permutation(ids))
    ]
    return [id_ for _, id_ in sorted(places)[:number]]


def judged_recipe(judge: Any) -> Pipeline:
    """The recipe `rag`, whose judged metrics ask this ChatGenerator."""
    pipeline = load_recipe("rag")
    for _, part in pipeline.walk():
        if hasattr(part, "chat_generator"):
            part.chat_generator = judge
    return pipeline


def differing(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Sockets of a pairwise judge: the questions to which two runs gave different answers."""
    pairs = [
        (ours, theirs)
        for ours, theirs in zip(first, second, strict=True)
        if ours["predicted_answer"] != theirs["predicted_answer"]
    ]
    return {
        "questions": [ours["question"] for ours, _ in pairs],
        "predicted_answers": [ours["predicted_answer"] for ours, _ in pairs],
        "second_predicted_answers": [theirs["predicted_answer"] for _, theirs in pairs],
    }
