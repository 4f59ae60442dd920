"""Computing time of whole reports: one run, two runs, and both with clusters.

    python benchmarks/inference_reports.py [--items 1000000]

Two runs with ids, questions, documents and ten metrics: three of 0/1 scores, three of five levels, three
of continuous scores, and a pooled F1. A comparison joins the runs by id, looks whether their data and
settings are the same, and gives every value, difference, interval, p-value and verdict.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from inference_data import pooled_f1

from thresher import EvaluationResults
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.runs.run_report import RunReport
from thresher.reports.slices.slice_report import SliceReport
from thresher.results import Measure, MetricResult, Signature, Statistics

Floats = npt.NDArray[np.float64]


def made(name: str, items: int, rng: np.random.Generator) -> EvaluationResults:
    """Create one run."""
    draws: dict[str, Callable[[], Floats]] = {
        "rate": lambda: (rng.random(items) < 0.8).astype(np.float64),
        "level": lambda: rng.integers(0, 5, items) / 4,
        "real": lambda: rng.random(items),
    }
    results = [
        MetricResult([Measure(Signature.of(f"{kind}_{copy}", {}))], Statistics({"score": draw()}))
        for kind, draw in draws.items()
        for copy in range(3)
    ]
    inputs = {
        "id": [f"item-{item}" for item in range(items)],
        "questions": [f"question {item}" for item in range(items)],
        "document": [f"document {item // 20}" for item in range(items)],
        "language": [("de", "en", "fr", "mt")[item % 4] for item in range(items)],
    }
    return EvaluationResults(inputs, [*results, pooled_f1(items, rng).result], name=name)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    items = parser.parse_args().items
    rng = np.random.default_rng(1)
    runs = [made(name, items, rng) for name in ("a", "b")]
    print(f"{items} items, ten metrics; {_peak():.1f} GB with the data\n")
    print("| report | seconds | seconds of processor | most memory until then, GB |")
    print("| --- | --- | --- | --- |")
    works: dict[str, Callable[[], object]] = {
        "one run": lambda: RunReport(runs[0]).data(),
        "one run, 20 items to a cluster": lambda: RunReport(runs[0], Analysis(cluster="document")).data(),
        "two runs compared": lambda: ComparisonReport(runs).data(),
        "two runs compared, clusters": lambda: ComparisonReport(runs, Analysis(cluster="document")).data(),
        "one run in four slices": lambda: SliceReport(runs[0], "language").data(),
    }
    for name, work in works.items():
        start, busy = time.perf_counter(), time.process_time()
        work()
        spent, processor = time.perf_counter() - start, time.process_time() - busy
        print(f"| {name} | {spent:.2f} | {processor:.2f} | {_peak():.2f} |", flush=True)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    main()
