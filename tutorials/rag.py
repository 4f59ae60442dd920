"""The question-answering system of the tutorials: a Haystack pipeline in eight configurations.

A configuration is a search (BM25 or embeddings), a chunk size and a number of chunks, `top_k`. The model that
writes the answers is any Haystack ChatGenerator; here it is `RecordedChatGenerator`, which replays what a
real model answered when `tutorials/record.py` asked it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from thresher.kernels.text.embeddings import encode_sentence

DATA = Path(__file__).parent / "data"
ANSWERS, JUDGEMENTS = DATA / "answers.json.gz", DATA / "judgements.json.gz"
PROBE = DATA / "probe.json.gz"
FIRST_ANSWERS = DATA / "first_answers.jsonl"
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


CONFIGURATIONS = [Configuration(*options) for options in product(("bm25", "embeddings"), (25, 100), (1, 3))]
FINALISTS = [
    Configuration("embeddings", 100, 3),
    Configuration("bm25", 100, 3),
]
"""Those that answer and are judged: models cost, so what the search finds decides who goes on."""


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
        return {"embedding": encode_sentence(text).tolist()}


@component
class Writer:
    """A ChatGenerator of any kind as a component of a pipeline.

    Args:
        chat_generator: who writes.
    """

    def __init__(self, chat_generator: Any) -> None:
        self.chat_generator = chat_generator

    @component.output_types(answer=str)
    def run(self, prompt: list[ChatMessage]) -> dict[str, Any]:
        """Write an answer.

        Args:
            prompt: the messages.

        Returns:
            `answer`: the text.
        """
        return {"answer": (self.chat_generator.run(prompt)["replies"][0].text or "").strip()}


def read_lines(name: str) -> list[dict[str, Any]]:
    """The rows of a JSONL file of `tutorials/data`."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def store_of(passages: Iterable[dict[str, Any]], chunk: int) -> InMemoryDocumentStore:
    """The passages, cut into chunks; each chunk has an embedding and knows its passage."""
    documents = [Document(id=row["id"], content=row["text"], meta={"passage": row["id"]}) for row in passages]
    splitter = DocumentSplitter(split_by="word", split_length=chunk, split_overlap=chunk // 5)
    chunks = splitter.run(documents)["documents"]
    embedded = [
        Document(
            id=f"{chunk.meta['passage']}-{chunk.meta['split_id']}",
            content=chunk.content,
            meta={"passage": chunk.meta["passage"]},
            embedding=encode_sentence(chunk.content or "").tolist(),
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
        pipeline.add_component("writer", Writer(chat_generator))
        pipeline.connect("retriever.documents", "prompt.documents")
        pipeline.connect("prompt.prompt", "writer.prompt")
    return pipeline


def answer_all(
    pipeline: Pipeline, configuration: Configuration, questions: Iterable[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The rows of questions, each with what was found and, if the pipeline writes, what was answered."""
    socket = ("retriever", "query") if configuration.search == "bm25" else ("embedder", "text")
    writes = "writer" in pipeline.graph.nodes
    for row in questions:
        asked = {socket[0]: {socket[1]: row["question"]}}
        if writes:
            asked["prompt"] = {"question": row["question"]}
        out = pipeline.run(asked, include_outputs_from={"retriever"})
        found = out["retriever"]["documents"]
        yield {
            **row,
            "retrieved_documents": list(dict.fromkeys(document.meta["passage"] for document in found)),
            "contexts": [(document.content or "").strip() for document in found],
            **({"predicted_answer": out["writer"]["answer"]} if writes else {}),
        }


def run_configurations(
    configurations: Iterable[Configuration], chat_generator: Any = None
) -> dict[str, list[dict[str, Any]]]:
    """Rows of every configuration, by its name; without a generator they are not answered."""
    passages, questions = read_lines("corpus.jsonl"), read_lines("questions.jsonl")
    stores = {chunk: store_of(passages, chunk) for chunk in (25, 100)}
    return {
        configuration.name: list(
            answer_all(
                rag_pipeline(stores[configuration.chunk], configuration, chat_generator),
                configuration,
                questions,
            )
        )
        for configuration in configurations
    }


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
