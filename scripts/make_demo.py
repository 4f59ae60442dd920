"""Create the two runs of the demo from its corpus and questions.

    python scripts/make_demo.py

Two ways to search the same 16 passages with BM25: `passages` indexes whole passages and answers with the
first sentence of the best one; `sentences` indexes single sentences and answers with the best one. Nothing
is edited by hand. After a change of the first items, record the replies of the demo's judge again with
benchmarks/judging_recording/record.py.
"""

import json
import re
from pathlib import Path
from typing import Any

from haystack import Document
from haystack.components.retrievers import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

FOLDER = Path(__file__).parent.parent / "src" / "thresher" / "datasets" / "demo"
TOP_K = 3


def sentences(text: str) -> list[str]:
    """Split a passage into sentences."""
    return re.split(r"(?<=[.!?]) ", text)


def passage_documents(corpus: list[dict[str, str]]) -> list[Document]:
    """Documents of whole passages; their answer is the first sentence."""
    return [
        Document(
            content=passage["text"], meta={"passage": passage["id"], "answer": sentences(passage["text"])[0]}
        )
        for passage in corpus
    ]


def sentence_documents(corpus: list[dict[str, str]]) -> list[Document]:
    """Documents of single sentences; their answer is the sentence."""
    return [
        Document(content=sentence, meta={"passage": passage["id"], "answer": sentence})
        for passage in corpus
        for sentence in sentences(passage["text"])
    ]


def answer(
    retriever: InMemoryBM25Retriever, question: dict[str, Any], texts: dict[str, str]
) -> dict[str, Any]:
    """One row: the documents retrieved for a question, and the answer."""
    documents = retriever.run(query=question["question"], top_k=5 * TOP_K)["documents"]
    passages = list(dict.fromkeys(document.meta["passage"] for document in documents))[:TOP_K]
    return {
        **question,
        "retrieved_documents": passages,
        "contexts": [texts[passage] for passage in passages],
        "predicted_answer": documents[0].meta["answer"] if documents else "",
    }


def main() -> None:
    """Write both runs next to the corpus."""
    corpus = json.loads((FOLDER / "corpus.json").read_text(encoding="utf-8"))
    questions = json.loads((FOLDER / "questions.json").read_text(encoding="utf-8"))
    texts = {passage["id"]: passage["text"] for passage in corpus}
    for name, documents in (
        ("passages", passage_documents(corpus)),
        ("sentences", sentence_documents(corpus)),
    ):
        store = InMemoryDocumentStore()
        store.write_documents(documents)
        retriever = InMemoryBM25Retriever(store)
        rows = [answer(retriever, question, texts) for question in questions]
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (FOLDER / f"{name}.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
