"""Row layouts of frameworks: articles of SQuAD, results of promptfoo, embedding pairs of LlamaIndex."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from thresher.datasets._values import describe
from thresher.errors import InputError
from thresher.results.ids import as_id

_PAIRS = ("queries", "corpus", "relevant_docs")


def unfold(source: str, rows: Sequence[Any]) -> list[Any]:
    """Convert to one row per item: SQuAD's articles to questions, promptfoo's results to flat rows.

    Raises:
        InputError: for a malformed SQuAD article.
    """
    if rows and all(isinstance(row, Mapping) and isinstance(row.get("paragraphs"), list) for row in rows):
        return [row for number, article in enumerate(rows, 1) for row in _questions(source, number, article)]
    if rows and all(map(_is_promptfoo, rows)):
        return [_promptfoo(row) for row in rows]
    return list(rows)


def _questions(source: str, number: int, article: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for paragraph in article["paragraphs"]:
        questions = paragraph.get("qas") if isinstance(paragraph, Mapping) else None
        if not isinstance(questions, list) or not all(isinstance(item, Mapping) for item in questions):
            raise InputError(f"{source}, article {number}: a paragraph lacks 'qas', a list of questions")
        about = {"title": article.get("title"), "context": paragraph.get("context")}
        yield from ({**about, **question} for question in questions)


def _is_promptfoo(row: Any) -> bool:
    if not isinstance(row, Mapping):
        return False
    prompt, variables = row.get("prompt"), row.get("vars")
    return isinstance(prompt, Mapping) and "raw" in prompt and isinstance(variables, Mapping)


def _promptfoo(row: Mapping[str, Any]) -> dict[str, Any]:
    """The prompt, the variables, the output and its grading."""
    response = row.get("response")
    output = response.get("output") if isinstance(response, Mapping) else None
    provider = row.get("provider")
    about = {
        "id": row.get("id"),
        "provider": provider.get("id") if isinstance(provider, Mapping) else provider,
        "success": row.get("success"),
        "score": row.get("score"),
    }
    known = {name: value for name, value in about.items() if value is not None}
    return {**known, "prompt": row["prompt"]["raw"], "output": output, **row["vars"]}


def is_embedding_pairs(data: Mapping[Any, Any]) -> bool:
    """Whether an object is LlamaIndex's `EmbeddingQAFinetuneDataset`."""
    return all(isinstance(data.get(name), Mapping) for name in _PAIRS)


def embedding_pairs(source: str, data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row per query: its text, the ids of the relevant documents, and their texts.

    Raises:
        InputError: for a query with documents that are not listed, or that the corpus lacks.
    """
    corpus = {as_id(key): text for key, text in data["corpus"].items()}
    return [
        _pair(source, key, text, data["relevant_docs"].get(key), corpus)
        for key, text in data["queries"].items()
    ]


def _pair(
    source: str, key: str, text: Any, relevant: Any, corpus: Mapping[str | None, Any]
) -> dict[str, Any]:
    if relevant is not None and not isinstance(relevant, list):
        raise InputError(f"{source}: relevant_docs of {key!r} holds {describe(relevant)}; give a list of ids")
    lacking = next((name for name in relevant or () if as_id(name) not in corpus), None)
    if lacking is not None:
        raise InputError(f"{source}: the corpus lacks {lacking!r}, which is relevant for {key!r}; add it")
    texts = None if relevant is None else [corpus[as_id(name)] for name in relevant]
    return {"id": key, "question": text, "ground_truth_documents": relevant, "ground_truth_contexts": texts}
