"""Retrieval metrics of Thresher, trec_eval and ranx: time, memory and largest difference.

    python benchmarks/retrieval.py [--queries 100000] [--depth 100] [--peer-python PATH]

Seven metrics (nDCG@10, nDCG, MAP, MRR, recall@10, precision@10, hit rate@10) of every query. Each side runs
in a process of its own, reads the same arrays, and makes of them what it evaluates: nested dictionaries,
`Qrels` and `Run`, or columns. A peer that is not installed is left out; `--peer-python` names another
interpreter to look for it in.
"""

import argparse
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CORPUS = 1 << 20
JUDGED = 10
K = 10
Scores = Any
Sides = tuple[Callable[[Path], Any], Callable[[Any], Scores]]


def write_data(folder: Path, queries: int, depth: int) -> None:
    """Codes of documents, scores and grades: distinct documents per query, shuffled scores, no ties."""
    rng = np.random.default_rng(0)
    start, stride = rng.integers(0, CORPUS, queries), rng.integers(0, CORPUS // 2, queries) * 2 + 1
    places = np.arange(depth + JUDGED)
    documents = ((start[:, None] + places * stride[:, None]) % CORPUS).astype(np.int32)
    scores = rng.permuted(np.tile(np.arange(depth), (queries, 1)), axis=1) / 128
    # Half of the judged documents were retrieved.
    judged = documents[:, depth - JUDGED // 2 : depth + JUDGED - JUDGED // 2]
    np.save(folder / "documents.npy", documents[:, :depth])
    np.save(folder / "scores.npy", scores)
    np.save(folder / "judged.npy", judged)
    np.save(folder / "grades.npy", rng.integers(0, 4, judged.shape))


def load(folder: Path) -> tuple[Any, Any, Any, Any]:
    """Documents, scores, judged documents and grades, each of shape queries x ranks."""
    return tuple(np.load(folder / f"{name}.npy") for name in ("documents", "scores", "judged", "grades"))


def query_names(queries: int) -> list[str]:
    """Names padded with zeros, so that sorting them changes nothing."""
    return [f"q{query:07d}" for query in range(queries)]


def nested(documents: Any, numbers: Any) -> dict[str, dict[str, Any]]:
    """The inputs of pytrec_eval and ranx."""
    names = [f"d{document}" for document in range(CORPUS)]
    return {
        query: dict(zip([names[code] for code in codes], values, strict=True))
        for query, codes, values in zip(
            query_names(len(documents)), documents.tolist(), numbers.tolist(), strict=True
        )
    }


def pytrec_eval() -> Sides:
    """Time pytrec_eval-terrier, which wraps trec_eval."""
    import pytrec_eval as peer

    measures = [f"ndcg_cut_{K}", "ndcg", "map", "recip_rank", f"recall_{K}", f"P_{K}", f"success_{K}"]

    def build(folder: Path) -> Any:
        documents, scores, judged, grades = load(folder)
        return peer.RelevanceEvaluator(nested(judged, grades), set(measures)), nested(documents, scores)

    def evaluate(built: Any) -> Scores:
        evaluator, run = built
        found = evaluator.evaluate(run)
        return np.array([[found[query][measure] for query in sorted(found)] for measure in measures])

    return build, evaluate


def ranx() -> Sides:
    """Time ranx after its compilation."""
    from ranx import Qrels, Run
    from ranx import evaluate as peer

    measures = [f"ndcg@{K}", "ndcg", "map", "mrr", f"recall@{K}", f"precision@{K}", f"hit_rate@{K}"]

    def build(folder: Path) -> Any:
        documents, scores, judged, grades = load(folder)
        return Qrels(nested(judged, grades)), Run(nested(documents, scores))

    def evaluate(built: Any) -> Scores:
        found = peer(*built, measures, return_mean=False)
        return np.array([found[measure] for measure in measures])

    return build, evaluate


def thresher(*, as_text: bool) -> Sides:
    """Time Thresher on columns of texts, or on dictionary arrays of texts."""
    import pyarrow as pa

    from thresher.kernels.retrieval.column_matching import match_columns
    from thresher.kernels.retrieval.columns import IdRows, judged_run
    from thresher.kernels.retrieval.rank_metrics import average_precision, hit_rate, ndcg, reciprocal_rank
    from thresher.kernels.retrieval.set_metrics import precision, recall

    def column(codes: Any, names: Any) -> Any:
        coded = pa.DictionaryArray.from_arrays(pa.array(codes), names)
        return coded.cast(pa.string()) if as_text else coded

    def rows(documents: Any, numbers: Any, queries: Any, names: Any) -> IdRows:
        owner = np.repeat(np.arange(len(documents), dtype=np.int32), documents.shape[1])
        return IdRows(column(owner, queries), column(documents.ravel(), names), numbers.ravel())

    def build(folder: Path) -> Any:
        documents, scores, judged, grades = load(folder)
        names = pa.array(f"d{document}" for document in range(CORPUS))
        queries = pa.array(query_names(len(documents)))
        return judged_run(rows(documents, scores, queries, names), rows(judged, grades, queries, names))

    def evaluate(pair: Any) -> Scores:
        ranked = match_columns(pair.retrieved, pair.judged)
        scores = [
            *(ndcg(ranked, K), ndcg(ranked), average_precision(ranked), reciprocal_rank(ranked)),
            *(recall(ranked, K), precision(ranked, K), hit_rate(ranked, K)),
        ]
        return np.nan_to_num(np.array(scores))  # the peers score a query without relevant documents 0

    return build, evaluate


SIDES: dict[str, tuple[str, Callable[[], Sides]]] = {
    "pytrec_eval-terrier": ("pytrec_eval", pytrec_eval),
    "ranx": ("ranx", ranx),
    "thresher, columns of texts": ("thresher", lambda: thresher(as_text=True)),
    "thresher, numbered columns": ("thresher", lambda: thresher(as_text=False)),
}


def measure(side: str, folder: Path) -> None:
    """In a separate process: print time and memory as JSON, or nothing if the package is not installed."""
    package, make = SIDES[side]
    if importlib.util.find_spec(package) is None:
        return
    build, evaluate = make()
    start = time.perf_counter()
    built = build(folder)
    seconds = {"build": time.perf_counter() - start}
    if side == "ranx":
        evaluate(built)
    start = time.perf_counter()
    scores = evaluate(built)
    seconds["evaluate"] = time.perf_counter() - start
    np.save(folder / f"{side}.npy", scores)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**seconds, "peak": peak}))


def measured(side: str, folder: Path, pythons: list[str]) -> dict[str, float] | None:
    """Measure one side with the first interpreter that has it."""
    for python in pythons:
        command = [python, __file__, "--side", side, "--folder", str(folder)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603  # ourselves
        if done.stdout.strip():
            found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
            return found
    return None


def table(found: dict[str, dict[str, float] | None], folder: Path) -> None:
    """Print one line per side; ratios and differences are relative to the last side, Thresher."""
    ours = found[list(SIDES)[-1]]
    reference = np.load(folder / f"{list(SIDES)[-1]}.npy")
    print(f"{'side':<29}{'build s':>9}{'evaluate s':>12}{'ratio':>8}{'peak MB':>9}  largest difference")
    for side, took in found.items():
        if took is None or ours is None:
            print(f"{side:<29} is not installed: left out")
            continue
        difference = np.abs(np.load(folder / f"{side}.npy") - reference).max()
        ratio = took["evaluate"] / ours["evaluate"]
        times = f"{took['build']:>9.2f}{took['evaluate']:>12.3f}{ratio:>7.1f}x"
        print(f"{side:<29}{times}{took['peak']:>9.0f}  {difference:g}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--depth", type=int, default=100, help="retrieved documents per query")
    parser.add_argument("--peer-python", action="append", default=[], metavar="PATH")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        measure(options.side, options.folder)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_data(folder, options.queries, options.depth)
        pythons = [sys.executable, *options.peer_python]
        found = {side: measured(side, folder, pythons) for side in SIDES}
        print(f"{options.queries} queries x {options.depth} documents, 7 metrics of each query")
        table(found, folder)


if __name__ == "__main__":
    main()
