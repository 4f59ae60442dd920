"""BEIR folders: corpus.jsonl, queries.jsonl, qrels/<split>.tsv."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thresher.datasets._opened import explained, path_of
from thresher.datasets._rows import Layout
from thresher.datasets.dataset import Dataset
from thresher.datasets.trec import AnyPath, read_once, read_run
from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.files.texts import text_lines
from thresher.kernels.retrieval.columns import IdRows, judged_run
from thresher.kernels.retrieval.order import TIE_RULES, TieRule
from thresher.results import FrozenColumn
from thresher.results.choices import check_choice
from thresher.results.ids import as_id

if TYPE_CHECKING:
    from haystack import Document

QUERIES = "queries.jsonl"
QRELS = Layout("BEIR's qrels", ("query", "document", "grade"), separator="\t", has_header=True)

Run = AnyPath | Mapping[str, Mapping[str, float]]


@explained
def read_beir(
    folder: AnyPath,
    *,
    split: str = "test",
    run: Run | None = None,
    ties: TieRule = "trec",
    name: str | None = None,
) -> Dataset:
    """Read the judged queries of a split, and the documents retrieved for them.

    Args:
        folder: holds `queries.jsonl` (`_id`, `text`) and `qrels/<split>.tsv`.
        split: which judgements.
        run: the retrieved documents: a TREC run file, or a mapping from query ids to mappings from document
            ids to scores. Queries that the split does not judge are left out. None for the queries alone.
        ties: how documents are ranked, see `read_trec`.
        name: name of the data set; default: the folder's name and the split.

    Returns:
        A data set with `questions`, `ground_truth_documents` and, with a run, `retrieved_documents`.

    Raises:
        InputError: if a file is missing, for a bad line with its number, or for a judged query that
            `queries.jsonl` lacks.
    """
    check_choice("ties", ties, TIE_RULES)
    root = path_of(folder, "a BEIR folder")
    qrels = read_once(qrels_path(root, split), QRELS)
    pair = judged_run(_run_rows(run), qrels, ties, queries=qrels.queries())
    columns = {
        "questions": FrozenColumn(query_texts(root / QUERIES, pair.queries, split)),
        "ground_truth_documents": pair.judged,
    }
    if run is not None:
        columns["retrieved_documents"] = pair.retrieved
    return Dataset(FrozenColumn(pair.queries), columns, name=name or f"{root.name}-{split}")


def read_beir_documents(folder: AnyPath) -> Iterator["Document"]:
    """Yield the corpus as Haystack Documents, to be written into a document store.

    The content is the title and the text, one line each; the title is in `meta` too.

    Raises:
        InputError: for a bad line of `corpus.jsonl`, with its number.
    """
    from haystack import Document

    for key, line in _lines(path_of(folder, "a BEIR folder") / "corpus.jsonl"):
        title, metadata = line.get("title") or "", line.get("metadata") or {}
        if not isinstance(metadata, dict):
            raise InputError(f"{folder}/corpus.jsonl: document {key!r}: metadata is not an object; give one")
        content = f"{title}\n{line['text']}" if title else line["text"]
        meta = {**metadata, "title": title}
        yield Document(id=key, content=content, meta=meta)


def query_texts(path: Path, queries: Sequence[str], split: str) -> list[str]:
    """The texts of some queries.

    Raises:
        InputError: for a bad line, or a query that the file lacks.
    """
    texts = dict.fromkeys(queries)
    texts |= {query: line["text"] for query, line in _lines(path) if query in texts}
    unknown = next((query for query, text in texts.items() if text is None), None)
    if unknown is not None:
        raise InputError(f"{path} lacks the query {unknown!r}, which {split} judges")
    return [str(texts[query]) for query in queries]


def qrels_path(root: Path, split: str) -> Path:
    """The judgements of a split.

    Raises:
        InputError: if the folder has none.
    """
    if not (root / "qrels").is_dir():
        raise InputError(
            f"{root} is not a BEIR folder: it has no qrels/{split}.tsv; give such a folder, or a file"
        )
    path = root / "qrels" / f"{split}.tsv"
    if not path.exists():
        splits = ", ".join(sorted(file.stem for file in (root / "qrels").glob("*.tsv"))) or "none"
        raise InputError(f"{path} does not exist; available splits: {splits}")
    return path


def _run_rows(run: Run | None) -> IdRows:
    if run is None:
        return IdRows([], [], [])
    if not isinstance(run, Mapping):
        return read_run(run)
    rows = [(query, document, score) for query, scores in run.items() for document, score in scores.items()]
    return IdRows(*map(list, zip(*rows, strict=True))) if rows else IdRows([], [], [])


def _lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Id and content of each line of a JSON Lines file that has `_id` and `text`."""
    for number, text in enumerate(text_lines(path), start=1):
        if text.isspace():
            continue
        # With its line break, errors at the end would name column 1 of the next line.
        line = parse_json(text.rstrip(), f"{path}:{number}", line=False)
        key = as_id(line.get("_id")) if isinstance(line, dict) else None
        if key is None or not isinstance(line.get("text"), str):
            raise InputError(f"{path}:{number}: give an object with the texts _id and text")
        yield key, line
