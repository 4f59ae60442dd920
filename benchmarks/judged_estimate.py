"""Processor time of judged runs next to what `thresher estimate` says.

    python benchmarks/judged_estimate.py [--items 400] [--repeats 3]

Runs with an answer cache in a file judge items by one metric; a mock server in another process replies after
5 ms. Prints medians of processor milliseconds a call. The first run of each metric, which loads modules, does
not count.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from judging_runs import JUDGES, Server

import thresher
from thresher.components import metric_class
from thresher.judges import Limits, asking, judge_named
from thresher.pipelines.run_estimate import START, estimate_run

sys.path.insert(0, str(JUDGES))

from rag_items import rag_items

METRICS = ("valor_context_relevance", "valor_faithfulness", "valor_answer_relevance", "ragas_faithfulness")
COLUMNS = ("question", "contexts", "answer", "reference")


def costs(metric: str, url: str, items: int) -> tuple[float, float, int]:
    """Processor seconds of a run, those of its estimate, and the calls of the run."""
    rows = rag_items(items)
    data = thresher.read_dataset({name: [row[name] for row in rows] for name in COLUMNS})
    judge = metric_class(metric)(judge_named("mock", url=url))
    estimate = estimate_run(thresher.build([judge]), data)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        with asking(cache=Path(folder) / "answers.sqlite", limits=Limits(max_concurrency=16)) as account:
            thresher.evaluate([judge], data, out=Path(folder) / "run", progress=False)
        return time.process_time() - start, estimate.cpu_seconds - START, account.calls


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=400)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"{'metric':<28}{'calls':>8}{'run':>8}{'estimate':>10}{'ratio':>8}")
    with Server() as server:
        server.reset(base_ms=5.0)
        for metric in METRICS:
            costs(metric, server.url, 20)
            measured = [costs(metric, server.url, options.items) for _ in range(options.repeats)]
            calls = measured[0][2]
            run, estimate = (1000 * median(one[at] for one in measured) / calls for at in (0, 1))
            print(f"{metric:<28}{calls:>8}{run:>8.2f}{estimate:>10.2f}{estimate / run:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
