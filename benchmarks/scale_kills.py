"""What is lost when a part of a run dies: each death in each way of computing, and the same command again.

    python benchmarks/scale_kills.py [--only-ways "2 workers" ...] [--only-deaths driver ...]

A run has 16 chunks, each of which takes a quarter of a second. After six chunks have begun,

* worker: a process that computes a chunk is killed (SIGKILL); without workers that is the driver,
* driver: the process that was started is killed,
* node: the second node of a Ray cluster on this machine is removed without a goodbye,
* store: the S3-compatible server that holds the run is out of reach for four seconds,
* disk full: files can no longer be written (a limit on their size).

Then the same command runs again until the run is complete. `runs` counts the commands, `ended` is the exit
code of the disturbed ones, `twice` the chunks that were computed more than once, and `equal` whether the
report as JSON is that of an undisturbed run in one process. Combinations that need Ray, or obstore and moto,
are listed as not run where these are not installed. Exit code: 1 if a run lost a chunk or differs.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

CHUNKS, BEGUN, SECONDS = 16, 6, 0.25
OUTAGE, PATIENCE, MOST_RUNS = 4.0, 180.0, 4
FILE_LIMIT = 1_000
"""Bytes; smaller than a part, larger than the log of the chunks."""
WAYS: dict[str, list[dict[str, Any]]] = {
    "in process": [{}],
    "2 workers": [{"workers": 2}],
    "ray": [{"engine": "ray", "workers": 2}],
    "2 shards": [{"shard": [1, 2]}, {"shard": [2, 2]}],
}
DEATHS = ("worker", "driver", "node", "store", "disk full")
DOES_NOT_EXIST = {
    ("in process", "worker"): "the driver computes",
    ("2 shards", "driver"): "shards have none",
    **{(way, "node"): "one machine" for way in WAYS if way != "ray"},
}


def drive(out: str, log: str, options: dict[str, Any]) -> None:
    """Evaluate the data, in the process of a command."""
    from pipelines.executors.harmful import HarmfulEvaluator
    from thresher import evaluate

    data = {"questions": [f"question {'x' * number}" for number in range(CHUNKS)]}
    shard = tuple(options.pop("shard")) if "shard" in options else None
    with cluster(log) if options.pop("node", False) else ExitStack() as address:
        engine = {"address": address} if isinstance(address, str) else {}
        metric = HarmfulEvaluator(log, seconds=SECONDS)
        results = evaluate([metric], data, out=out, chunk_size=1, shard=shard, **options, **engine)
    sys.exit(0 if results.complete or shard else 3)


@contextmanager
def cluster(log: str) -> Iterator[str]:
    """Two nodes of Ray on this machine, one of which is lost."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()

    def lose() -> None:
        wait_until(lambda: len({line.split()[0] for line in lines(log)}) > 1 and len(lines(log)) >= BEGUN)
        nodes.remove_node(second, allow_graceful=False)

    loser = threading.Thread(target=lose)
    loser.start()
    yield nodes.address
    loser.join()
    nodes.shutdown()


def lines(log: str | Path) -> list[str]:
    """`process question` of each chunk that was begun."""
    path = Path(log)
    return path.read_text().splitlines() if path.exists() else []


def wait_until(fulfilled: Any, patience: float = PATIENCE) -> bool:
    """Whether a condition came true in time."""
    end = time.monotonic() + patience
    while not (now := fulfilled()) and time.monotonic() < end:
        time.sleep(0.05)
    return bool(now)


@dataclass
class Attempt:
    """A run and the commands that compute it."""

    way: str
    death: str
    folder: Path
    out: str
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        """The log of the chunks."""
        return self.folder / "log"

    def start(self, *, disturbed: bool) -> list["subprocess.Popen[str]"]:
        """Start the commands."""
        node = {"node": True} if disturbed and self.death == "node" else {}
        tasks = [[self.out, str(self.log), options | node] for options in WAYS[self.way]]
        environment = os.environ | self.environment
        environment["PYTHONPATH"] = os.pathsep.join([str(TESTS), *filter(None, sys.path[1:])])
        with (self.folder / "printed").open("a") as printed:
            return [
                subprocess.Popen(  # noqa: S603  # our own script
                    [sys.executable, __file__, "--drive", json.dumps(task)],
                    cwd=self.folder,
                    env=environment,
                    stdout=printed,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
                for task in tasks
            ]

    def disturb(self, processes: list["subprocess.Popen[str]"], gateway: Any) -> None:
        """Let a part die, once some chunks have begun."""
        if self.death == "node":  # the command itself loses it
            return
        if not wait_until(lambda: len(lines(self.log)) >= BEGUN):
            raise SystemExit(f"{self.way}: no chunk began\n{(self.folder / 'printed').read_text()[-3000:]}")
        computing = [int(line.split()[0]) for line in lines(self.log)]
        if self.death == "worker":
            os.kill(computing[-1], signal.SIGKILL)
        elif self.death == "driver":
            processes[0].kill()
        elif self.death == "store":
            gateway.stop()
            time.sleep(OUTAGE)
            gateway.start()
        else:
            for process in {*computing, *(process.pid for process in processes)}:
                with suppress(ProcessLookupError):
                    hard = resource.prlimit(process, resource.RLIMIT_FSIZE)[1]
                    resource.prlimit(process, resource.RLIMIT_FSIZE, (FILE_LIMIT, hard))

    def run(self, gateway: Any) -> tuple[int, list[int]]:
        """Disturb the run, and start it again until it is complete: number of starts, first exit codes."""
        processes = self.start(disturbed=True)
        self.disturb(processes, gateway)
        codes = [process.wait(PATIENCE) for process in processes]
        first, starts = codes, 1
        while any(codes) and starts < MOST_RUNS:
            codes = [process.wait(PATIENCE) for process in self.start(disturbed=False)]
            starts += 1
        return starts, first


def report_of(out: str) -> str:
    """The report of a run as JSON."""
    from thresher import open_run
    from thresher.reports.rendering.registry import rendered
    from thresher.reports.runs.run_report import RunReport

    results = open_run(out)
    return rendered(RunReport(results), "json") + f"complete: {results.complete}"


def missing(way: str, death: str) -> str:
    """Why a combination is not run; empty if it is."""
    if (way, death) in DOES_NOT_EXIST:
        return f"does not exist: {DOES_NOT_EXIST[way, death]}"
    needed = [*(["ray"] if way == "ray" else []), *(["obstore", "moto"] if death == "store" else [])]
    absent = [name for name in needed if find_spec(name) is None]
    return f"not run: {', '.join(absent)} not installed" if absent else ""


def row(way: str, death: str, root: Path, expected: str, server: Any) -> bool:
    """Print what a death costs; return whether nothing was lost and the numbers are equal."""
    folder = root / f"{way} {death}".replace(" ", "-")
    folder.mkdir()
    out = str(folder / "run") if server is None else f"s3://runs/{folder.name}"
    attempt = Attempt(way, death, folder, out, {} if server is None else server.environment())
    starts, codes = attempt.run(server)
    computed = [line.split(" ", 1)[1] for line in lines(attempt.log)]
    lost, twice = CHUNKS - len(set(computed)), len(computed) - len(set(computed))
    equal = report_of(out) == expected
    words = ", ".join(str(code) for code in codes)
    print(f"{way:12}{death:11}{words:>9}{starts:6}{lost:6}{twice:7}  {'yes' if equal else 'NO'}", flush=True)
    if not equal:
        print((folder / "printed").read_text()[-1500:])
    return equal and not lost


@contextmanager
def store_server() -> Iterator[Any]:
    """A gateway to an S3-compatible server, whose address is in the environment."""
    from object_server import Gateway, running_moto

    with running_moto() as port:
        gateway = Gateway(port)
        os.environ |= gateway.environment()
        yield gateway
        gateway.stop()


def main() -> int:
    """Print one row per way and death."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only-ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY")
    parser.add_argument("--only-deaths", nargs="+", choices=DEATHS, default=DEATHS, metavar="DEATH")
    parser.add_argument("--drive", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.drive is not None:
        drive(*options.drive)
    fine = []
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        root = Path(name)
        alone = Attempt("in process", "none", root, str(root / "run"))
        if any(process.wait(PATIENCE) for process in alone.start(disturbed=False)):
            raise SystemExit((root / "printed").read_text())
        expected = report_of(alone.out)
        print(f"{'way':12}{'death':11}{'ended':>9}{'runs':>6}{'lost':>6}{'twice':>7}  equal", flush=True)
        server = None
        for way in options.only_ways:
            for death in options.only_deaths:
                if why := missing(way, death):
                    print(f"{way:12}{death:11}  {why}", flush=True)
                    continue
                if death == "store" and server is None:
                    server = stack.enter_context(store_server())
                fine.append(row(way, death, root, expected, server if death == "store" else None))
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
