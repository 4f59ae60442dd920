"""Processes that share a run directory and an answer cache, killed at random moments.

    python benchmarks/kills.py [--kills 200] [--processes 8]

Each round starts the processes on one new run of a judged and a keyless metric. At random moments the
benchmark kills (SIGKILL) a process that computes a chunk and starts another in its place; after the last
kill of the round, the remaining processes finish the run. Then the run is compared with an undisturbed run:
ids, inputs, item scores, statuses and evidence must be equal, every file whole, the cache intact, and no
temporary file left after the next start. The judge is a local server; `calls` counts its requests. A killed
process delays the processes that wait for its answers by up to eight seconds.
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

import pyarrow.parquet  # noqa: F401  # loaded once, before processes are forked

from thresher import EvaluationResults, MetricResult, evaluate, open_run, verify_run
from thresher.components import ValorContextRelevanceEvaluator
from thresher.judges import asking, judge_named

SERVER = Path(__file__).parents[1] / "tests" / "judges" / "mock_server.py"
ITEMS, CHUNK = 240, 3
KILLS_PER_ROUND = 20
KILLS_PER_SECOND = 2
LATENCY_MS = 400.0
FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Shared:
    """What the processes of a round share."""

    url: str
    run: Path
    cache: Path

    def begin(self) -> Any:
        """Start a process that computes the remaining chunks of the run."""
        process = FORK.Process(target=self.work)
        process.start()
        return process

    def computing(self) -> set[int]:
        """Ids of the processes that compute a chunk, from the names of their temporary files."""
        return {int(path.name.split(".")[-3]) for path in self.run.glob("parts/*.tmp")}

    def work(self) -> None:
        """Compute the remaining chunks of the run."""
        metrics = [ValorContextRelevanceEvaluator(judge_named("mock", url=self.url)), "token_f1"]
        with asking(cache=self.cache):
            evaluate(metrics, data(), out=self.run, chunk_size=CHUNK)


def data() -> dict[str, list[Any]]:
    """Questions, and two contexts per question."""
    numbers = range(ITEMS)
    return {
        "id": [f"i{number}" for number in numbers],
        "question": [f"What is built at place {number}?" for number in numbers],
        "contexts": [[f"At place {number} is a mill.", f"Place {number} is offtopic."] for number in numbers],
        "response": [f"mill {number % 3}" for number in numbers],
        "reference": [f"mill {number % 4}" for number in numbers],
    }


def disturb(shared: Shared, kills: int, processes: int, rng: random.Random) -> int:
    """One round; return how many processes were killed before the last chunk was committed."""
    running, killed = [shared.begin() for _ in range(processes)], 0
    while killed < kills and len(list(shared.run.glob("parts/*.parquet"))) < ITEMS // CHUNK:
        time.sleep(rng.expovariate(KILLS_PER_SECOND))
        computing = shared.computing()
        places = [place for place in range(processes) if running[place].pid in computing]
        if places:
            place = rng.choice(places)
            os.kill(running[place].pid, signal.SIGKILL)
            running[place].join()
            killed += running[place].exitcode == -signal.SIGKILL
            running[place] = shared.begin()
    for process in running:
        process.join()
    return killed


def visible(run: EvaluationResults) -> str:
    """What must not depend on kills: everything but how long replies took and where they came from."""
    results = [
        (
            result.name,
            result.item_scores().tolist(),
            result.status.tolist(),
            evidence(result),
        )
        for result in run.results
    ]
    return repr((list(run.ids), {name: list(column) for name, column in run.inputs.items()}, results))


def evidence(result: MetricResult) -> list[Any]:
    """The evidence without the latency and the origin of replies."""
    items = [dict(item or {}) for item in result.evidence or ()]
    for item in items:
        item["replies"] = [{**reply, "latency": 0, "cached": False} for reply in item.get("replies", [])]
    return items


def faults(shared: Shared, expected: str) -> list[str]:
    """What is wrong after a round and one more start."""
    last = shared.begin()
    last.join()
    results = open_run(shared.run)
    with closing(sqlite3.connect(shared.cache)) as connection:
        intact = connection.execute("PRAGMA integrity_check").fetchone()[0]
    checks = {
        "not complete": results.provenance["complete"] and last.exitcode == 0,
        "other results": visible(results) == expected,
        "a file is not whole": verify_run(shared.run).whole,
        "a temporary file is left": not list(shared.run.rglob("*.tmp")),
        "the cache is damaged": intact == "ok",
    }
    return [fault for fault, fine in checks.items() if not fine]


def ask(url: str, path: str, data: dict[str, Any] | None = None) -> Any:
    """Read from the server, or change its settings."""
    body = None if data is None else json.dumps(data).encode()
    with urlopen(f"{url.removesuffix('/v1')}{path}", data=body) as response:  # noqa: S310  # loopback
        return json.load(response)


@contextmanager
def judge() -> Iterator[str]:
    """A server that answers after some milliseconds; yields its address."""
    command = [sys.executable, str(SERVER), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            assert server.stdout is not None  # noqa: S101
            url = server.stdout.readline().strip()
            ask(url, "/reset", {"base_ms": LATENCY_MS})
            yield url
        finally:
            server.kill()


def main() -> int:
    """Print one row per round; 1 if a round had a fault."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, killed, bad, number = random.Random(options.seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as name, judge() as url:
        folder = Path(name)
        alone = Shared(url, folder / "alone", folder / "alone.sqlite")
        alone.begin().join()  # not in this process: a fork must not inherit the threads of a judge
        expected = visible(open_run(alone.run))
        print(f"{'round':>5}{'kills':>7}{'seconds':>9}{'calls':>7}  result", flush=True)
        while killed < options.kills:
            number, start = number + 1, time.monotonic()
            ask(url, "/reset", {})
            shared = Shared(url, folder / f"run{number}", folder / f"{number}.sqlite")
            now = disturb(shared, min(KILLS_PER_ROUND, options.kills - killed), options.processes, rng)
            problems = faults(shared, expected)
            killed, bad = killed + now, bad + bool(problems)
            calls, result = ask(url, "/stats")["calls"], ", ".join(problems) or "as undisturbed"
            print(f"{number:5}{now:7}{time.monotonic() - start:9.0f}{calls:7}  {result}", flush=True)
    print(f"{killed} kills of {options.processes} processes in {number} rounds, {bad} of them with a fault")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
