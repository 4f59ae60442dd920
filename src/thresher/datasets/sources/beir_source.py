"""BEIR folders with a run that is read by query."""

from pathlib import Path

from thresher.datasets._opened import path_of
from thresher.datasets.beir import QUERIES, Run, qrels_path, read_beir
from thresher.datasets.read import check_options
from thresher.datasets.sources.source import Source
from thresher.datasets.sources.trec_index import TrecIndex
from thresher.datasets.sources.trec_source import large_files, open_judged_run
from thresher.datasets.trec import AnyPath
from thresher.kernels.retrieval.order import TIE_RULES, TieRule
from thresher.results.choices import check_choice


def open_beir(
    folder: AnyPath,
    *,
    split: str = "test",
    run: Run | None = None,
    ties: TieRule = "trec",
    name: str | None = None,
    limit: int | None = None,
    index: Path | None = None,
) -> Source:
    """Open the judged queries of a split with a run, to be read by query.

    The items are those of `read_beir`, with equal ids, columns and fingerprint. The index is that of
    `open_trec`, with the texts of the queries. Small runs, and those that are in no file, are read whole.

    Args:
        folder: as in `read_beir`; so are `split`, `run` and `ties`.
        split: which judgements.
        run: the retrieved documents.
        ties: how documents are ranked.
        name: name of the data set; default: the folder's name and the split.
        limit: use the first queries only; all lines are checked.
        index: folder of indices, in which one that was kept is looked for; default: none is.

    Raises:
        InputError: as `read_beir`; for texts that cannot be written as UTF-8.
    """
    check_choice("ties", ties, TIE_RULES)
    check_options(name, limit, "missing", None)
    root = path_of(folder, "a BEIR folder")
    paths = large_files(run, qrels_path(root, split))
    if paths is None or not (root / QUERIES).is_file():
        whole = read_beir(root, split=split, run=run, ties=ties, name=name)
        return whole if limit is None else whole.head(limit)
    options = {"format": "beir", "ties": ties, "limit": limit}
    begun = TrecIndex(folder=Path(), name=name or f"{root.name}-{split}", files=(), ties=ties)
    return open_judged_run(begun, (*paths, root / QUERIES), options, index)
