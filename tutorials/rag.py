"""The question-answering system of the tutorials: a Haystack pipeline in eight configurations.

The model that writes the answers is any Haystack ChatGenerator; here it is a recording, which replays what a
real model answered when `tutorials/record.py` asked it. `searching` and `answering` make the pipelines of an
experiment.
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
    """Settings of the pipeline."""

    search: str  # `bm25` or `embeddings`
    chunk: int  # words of a chunk, which overlaps the previous one by a fifth
    top_k: int  # chunks in the prompt

    @property
    def name(self) -> str:
        """Name of its run."""
        return f"{self.search}-{self.chunk}-top{self.top_k}"


GRID = {"search": ["bm25", "embeddings"], "chunk": [25, 100], "top_k": [1, 3]}
"""What an experiment varies; the names are keywords of `searching` and `answering`."""
CONFIGURATIONS = [Configuration(*options) for options in product(*GRID.values())]
FINALISTS = [Configuration("embeddings", 100, 3), Configuration("bm25", 100, 3)]
"""Configurations whose answers are labelled in tutorial 4."""
JUDGED, SEED = 12, 2
"""Size of the sample of questions that the `rag` recipe judges, and the seed of the draw."""


@cache
def embedding_of(text: str) -> tuple[float, ...]:
    """Return the 512 numbers of a text's embedding; computed once for all configurations."""
    return tuple(encode_sentence(text).tolist())


@component
class SentenceEmbedder:
    """A text embedder for Haystack that runs offline: the encoder of the extra `semantic`."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        """Embed one text."""
        return {"embedding": list(embedding_of(text))}


@component
class Writer:
    """A ChatGenerator that several pipelines share; a Haystack component belongs to one pipeline."""

    def __init__(self, chat_generator: Any) -> None:
        self.chat_generator = chat_generator

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """Reply to the prompt with one message."""
        return {"replies": self.chat_generator.run(messages)["replies"][:1]}


def read_lines(name: str) -> list[dict[str, Any]]:
    """Return the rows of a JSONL file of `tutorials/data`."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@cache
def store_of(chunk: int, search: str) -> InMemoryDocumentStore:
    """Return a store with the corpus in chunks, filled once; BM25 needs no embeddings."""
    rows = read_lines("corpus.jsonl")
    passages = [Document(id=row["id"], content=row["text"], meta={"passage": row["id"]}) for row in rows]
    splitter = DocumentSplitter(split_by="word", split_length=chunk, split_overlap=chunk // 5)
    chunks = [
        Document(
            id=f"{piece.meta['passage']}-{piece.meta['split_id']}",
            content=(piece.content or "").strip(),
            meta={"passage": piece.meta["passage"]},
            embedding=list(embedding_of(piece.content or "")) if search == "embeddings" else None,
        )
        for piece in splitter.run(passages)["documents"]
    ]
    store = InMemoryDocumentStore()
    store.write_documents(chunks)
    return store


def rag_pipeline(configuration: Configuration, chat_generator: Any = None) -> Pipeline:
    """Build a pipeline that searches, fills the prompt and answers; without a generator it only searches."""
    store, top_k = store_of(configuration.chunk, configuration.search), configuration.top_k
    pipeline = Pipeline()
    if configuration.search == "bm25":
        pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=top_k))
    else:
        pipeline.add_component("embedder", SentenceEmbedder())
        pipeline.add_component("retriever", InMemoryEmbeddingRetriever(store, top_k=top_k))
        pipeline.connect("embedder.embedding", "retriever.query_embedding")
    if chat_generator is not None:
        pipeline.add_component("prompt", ChatPromptBuilder(TEMPLATE, required_variables="*"))
        pipeline.add_component("writer", chat_generator)
        pipeline.connect("retriever.documents", "prompt.documents")
        pipeline.connect("prompt.prompt", "writer.messages")
    return pipeline


def searching(search: str, chunk: int, top_k: int) -> Pipeline:
    """Build the pipeline of a configuration that only searches."""
    return rag_pipeline(Configuration(search, chunk, top_k))


def answering(search: str, chunk: int, top_k: int) -> Pipeline:
    """Build the pipeline of a configuration with recorded answers."""
    return rag_pipeline(Configuration(search, chunk, top_k), RecordedGenerator(str(ANSWERS)))


def answered(pipeline: Pipeline, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a question with the retrieved chunks and, if the pipeline writes, the answer."""
    parts, question = pipeline.graph.nodes, row["question"]
    inputs = {"embedder": {"text": question}} if "embedder" in parts else {"retriever": {"query": question}}
    if "prompt" in parts:
        inputs["prompt"] = {"question": question}
    outputs = pipeline.run(inputs, include_outputs_from={"retriever"})
    chunks = outputs["retriever"]["documents"]
    answer = {"predicted_answer": outputs["writer"]["replies"][0].text.strip()} if "writer" in parts else {}
    return {
        **row,
        "retrieved_documents": list(dict.fromkeys(chunk.meta["passage"] for chunk in chunks)),
        "contexts": [chunk.content or "" for chunk in chunks],
        **answer,
    }


def run_configurations(
    configurations: Iterable[Configuration], chat_generator: Any = None
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every configuration by its name; without a generator they have no answers.

    All configurations answer a question before the next one: a recording that stops has whole questions.
    """
    pipelines = {
        configuration.name: rag_pipeline(configuration, chat_generator and Writer(chat_generator))
        for configuration in configurations
    }
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in pipelines}
    for question in read_lines("questions.jsonl"):
        for name, pipeline in pipelines.items():
            rows[name].append(answered(pipeline, question))
    return rows


def judged_questions(number: int = JUDGED) -> list[str]:
    """Return the ids of a random sample in which every kind of question has its share.

    Within a kind the order is drawn; then the kinds are interleaved. A larger sample contains a smaller one.
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
    """Load the recipe `rag` with this ChatGenerator as its judge."""
    pipeline = load_recipe("rag")
    for _, part in pipeline.walk():
        if hasattr(part, "chat_generator"):
            part.chat_generator = judge
    return pipeline


def differing(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return inputs of a pairwise judge: the questions to which two runs gave different answers."""
    pairs = [
        (row["question"], row["predicted_answer"], other["predicted_answer"])
        for row, other in zip(first, second, strict=True)
        if row["predicted_answer"] != other["predicted_answer"]
    ]
    names = ("questions", "predicted_answers", "second_predicted_answers")
    return {name: [pair[place] for pair in pairs] for place, name in enumerate(names)}
