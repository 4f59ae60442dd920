"""Overhead of the pipeline over the metrics themselves.

    python benchmarks/pipeline.py [--items 100000]

Ten keyless metrics over the same columns: called directly, through `evaluate` in memory, and through
`evaluate` with a run directory (ten parts written). Seconds on the clock swing where other work shares the
machine; those of the processor swing less.
"""

import argparse
import gc
import itertools
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from thresher import Dataset, build, evaluate, metric_class, read_dataset
from thresher.results import FrozenColumn

ROUNDS = 3
WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "mat", "rug", "in", "sun", "rain", "big", "red", "old"]


def dataset(items: int) -> Dataset:
    """Short answers, short rankings and two columns of scores."""
    rng = random.Random(1)
    answers = [" ".join(rng.choices(WORDS, k=8)) for _ in range(items)]
    return read_dataset(
        {
            "question": [f"question {number}" for number in range(items)],
            "predicted_answers": answers,
            "ground_truth_answers": [" ".join(rng.choices(WORDS, k=8)) for _ in range(items)],
            "retrieved_documents": [[f"d{rng.randrange(50)}" for _ in range(5)] for _ in range(items)],
            "ground_truth_documents": [[f"d{rng.randrange(50)}"] for _ in range(items)],
            "rating": [rng.random() for _ in range(items)],
            "cost": [rng.random() for _ in range(items)],
        }
    )


def metrics() -> dict[str, Any]:
    """Ten metrics without a judge."""
    make = metric_class
    return {
        "exact": make("exact_match")(),
        "squad": make("exact_match")(normalization="squad", name="squad_match"),
        "token_f1": make("token_f1")(),
        "raw_f1": make("token_f1")(normalization="none", name="raw_f1"),
        "rank": make("retrieval_reciprocal_rank")(),
        "hit": make("retrieval_hit_rate")(top_k=3),
        "recall": make("retrieval_recall")(),
        "recall_3": make("retrieval_recall")(top_k=3),
        "rating": make("recorded_scores")("rating"),
        "cost": make("recorded_scores")("cost", direction="lower"),
    }


def directly(parts: dict[str, Any], data: Dataset) -> None:
    """Run every metric on the columns that it needs."""
    for part in parts.values():
        part.run(**{socket: data.columns[socket] for socket in part.__haystack_input__._sockets_dict})  # noqa: SLF001


def timed(ways: dict[str, Any], data: Dataset) -> dict[str, tuple[float, float]]:
    """Return wall-clock and processor seconds: medians of three rounds over all ways.

    Every time over new columns: what metrics remember of a column would flatter whoever comes second.
    """
    spent: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, work in ways.items():
            new = Dataset(data.ids, {name: FrozenColumn(list(each)) for name, each in data.columns.items()})
            gc.collect()
            clock, processor = time.perf_counter(), time.process_time()
            work(new)
            spent[way].append((time.perf_counter() - clock, time.process_time() - processor))
    return {way: tuple(map(statistics.median, zip(*each, strict=True))) for way, each in spent.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    items = parser.parse_args().items
    data, pipeline = dataset(items), build(metrics())
    with tempfile.TemporaryDirectory() as folder:
        names = itertools.count()
        spent = timed(
            {
                "directly": lambda new: directly(metrics(), new),
                "evaluate": lambda new: evaluate(pipeline, new),
                "evaluate into a run directory": lambda new: evaluate(
                    pipeline, new, out=Path(folder) / str(next(names))
                ),
            },
            data,
        )
    print(f"{items} items x 10 metrics, seconds (median of {ROUNDS})\n")
    print(
        "| way | clock | processor | over the metrics: clock | processor |\n| --- | --- | --- | --- | --- |"
    )
    bare = spent["directly"]
    for way, (clock, processor) in spent.items():
        print(
            f"| {way} | {clock:.2f} | {processor:.2f} | {clock - bare[0]:+.2f} | {processor - bare[1]:+.2f} |"
        )


if __name__ == "__main__":
    main()
