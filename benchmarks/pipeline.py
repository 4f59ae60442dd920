"""What the pipeline costs over the metrics themselves.

    python benchmarks/pipeline.py [--items 100000]

Ten keyless metrics over the same columns: called directly, through `evaluate` in memory, and through
`evaluate` with a run directory (ten parts written and read again).
"""

import argparse
import os
import random
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from thresher import Dataset, build, evaluate, metric_class, read_dataset

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
    """Ten metrics that ask nobody."""
    make = metric_class
    return {
        "exact": make("exact_match")(),
        "squad": make("exact_match")(normalization="squad", name="squad_match"),
        "token_f1": make("token_f1")(),
        "raw_f1": make("token_f1")(normalization="none", name="raw_f1"),
        "rank": make("reciprocal_rank")(),
        "hit": make("hit_rate")(top_k=3),
        "recall": make("recall")(),
        "recall_3": make("recall")(top_k=3),
        "rating": make("recorded_scores")("rating"),
        "cost": make("recorded_scores")("cost", direction="lower"),
    }


def directly(parts: dict[str, Any], data: Dataset) -> None:
    """Every metric on the columns it needs."""
    for part in parts.values():
        part.run(**{socket: data.columns[socket] for socket in part.__haystack_input__._sockets_dict})  # noqa: SLF001


def timed(work: Any) -> float:
    """Seconds of the fastest of three."""
    spent = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    items = parser.parse_args().items
    data, pipeline = dataset(items), build(metrics())
    bare = timed(lambda: directly(metrics(), data))
    memory = timed(lambda: evaluate(pipeline, data))
    with tempfile.TemporaryDirectory() as folder:
        names = iter(range(3))
        disk = timed(lambda: evaluate(pipeline, data, out=Path(folder) / str(next(names))))
    print(f"{items} items x 10 metrics, seconds (fastest of 3)\n")
    print("| way | seconds | over the metrics |\n| --- | --- | --- |")
    for way, spent in (("directly", bare), ("evaluate", memory), ("evaluate into a run directory", disk)):
        print(f"| {way} | {spent:.2f} | {spent - bare:+.2f} |")


if __name__ == "__main__":
    main()
