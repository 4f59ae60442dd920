"""Workers that share one rate limit, one budget and one answer cache through a gate.

    python benchmarks/shared_limits.py [--minutes 3] [--limit 1200] [--workers 3]

The gate is a process, and so is each worker; the judge is a local server that counts its requests. In some
rows the gate is killed (SIGKILL) and started again at the same address while the workers ask. A tenth of
the prompts are asked by all workers. `most in 60 s` is the most requests that the server received in any 60
seconds, `used` the requests a minute after the first one, both as a share of the limit; `twice` are requests
that the server had answered before; `over` is what was spent beyond the budget.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
from thresher.judges import Ask, Limits, Message, Prices, Texts, answered, asking, drive, judge_named
from thresher.judges.engine.gate import Gate, GateAddress, GateConnection, GateLimits, serving
from thresher.results import Status

SERVER = Path(__file__).parents[1] / "tests" / "judges" / "mock_server.py"
LATENCY = 300  # milliseconds
SLOTS = 48
ITEMS_A_CALL = 200


def main() -> None:
    """Run all rows and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--limit", type=float, default=1200.0)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--role", choices=("gate", "worker"), help=argparse.SUPPRESS)
    parser.add_argument("--task", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role == "gate":
        hold_gate(options.task)
    elif options.role == "worker":
        work(options.task)
    else:
        measure(options)


def measure(options: argparse.Namespace) -> None:
    """Run the rows."""
    enough = int(options.limit * options.minutes)
    limit = {"requests_per_minute": options.limit}
    rows: dict[str, tuple[int, dict[str, Any], tuple[float, ...]]] = {
        "requests a minute": (enough, limit, ()),
        "gate killed three times": (enough, limit, (20.0, 45.0, 75.0)),
        "calls": (3000, {"max_calls": 1500}, ()),
        "calls, gate killed twice": (3000, {"max_calls": 1500}, (1.5, 8.0)),
        "cost": (3000, {"max_cost": 5.0}, ()),
    }
    print(
        f"{options.workers} workers, {SLOTS} slots, {LATENCY} ms an answer, limit {options.limit:g} a minute"
    )
    print("| row | calls | most in 60 s | used | twice | over | seconds |\n|---|---|---|---|---|---|---|")
    with judge() as url:
        for name, (calls, budget, kills) in rows.items():
            statistics(url, "reset", base_ms=LATENCY)
            seconds, spent = run(url, options.workers, calls, budget, kills)
            print(row(name, statistics(url, "stats"), budget, seconds, spent), flush=True)
    print(f"an ask: {overhead():.3f} ms of the gate, in leases of ten")


@contextmanager
def judge() -> Iterator[str]:
    """The judge in a process of its own; its address."""
    command = [sys.executable, str(SERVER), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603  (our own script)
        yield process.stdout.readline().strip()  # type: ignore[union-attr]
        process.kill()


def statistics(url: str, what: str, **settings: Any) -> Any:
    """The judge's counts, or its new settings."""
    place = f"{url.removesuffix('/v1')}/{what}"
    with urlopen(place, json.dumps(settings).encode()) as response:  # noqa: S310  (loopback)
        return json.load(response)


def row(name: str, stats: dict[str, Any], budget: dict[str, Any], seconds: float, spent: float) -> str:
    """A line of the table."""
    limit = budget.get("requests_per_minute")
    begin, end, _ = stats["span"]
    most = f"{stats['most_a_minute'] / limit:.3f}" if limit else "-"
    used = f"{stats['calls'] * 60 / (end - begin) / limit:.3f}" if limit else "-"
    twice = stats["calls"] - stats["distinct"]
    over = "-"
    if "max_calls" in budget:
        over = str(stats["calls"] - budget["max_calls"])
    elif "max_cost" in budget:
        over = f"{spent - budget['max_cost']:.3f} of {budget['max_cost']:g}"
    return f"| {name} | {stats['calls']} | {most} | {used} | {twice} | {over} | {seconds:.0f} |"


def run(
    url: str, workers: int, calls: int, budget: dict[str, Any], kills: tuple[float, ...]
) -> tuple[float, float]:
    """Run the workers on new items; return the seconds, and the money that all of them spent."""
    with tempfile.TemporaryDirectory() as folder:
        address = [str(Path(folder) / "socket" / "gate"), "key"]
        task = {"url": url, "calls": calls, "workers": workers, "budget": budget, "address": address}
        task["cache"] = str(Path(folder) / "answers.sqlite")
        gate, start = started("gate", task), time.monotonic()
        running = [started("worker", {**task, "number": number}) for number in range(workers)]
        for second in kills:
            time.sleep(max(0.0, start + second - time.monotonic()))
            gate.kill()
            gate.wait()
            gate = started("gate", task)
        outputs = [process.communicate()[0] for process in running]
        gate.kill()
        gate.wait()
        failed = [process.args for process in running if process.returncode]
        if failed:
            raise RuntimeError(f"workers failed: {failed}")
        return time.monotonic() - start, sum(float(output) for output in outputs)


def started(role: str, task: dict[str, Any]) -> "subprocess.Popen[str]":
    """Start this script in another role."""
    command = [sys.executable, __file__, "--role", role, "--task", json.dumps(task)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603  (our own script)


def hold_gate(task: dict[str, Any]) -> None:
    """Answer for the gate until this process is killed."""
    with serving(Gate(GateLimits(SLOTS, **task["budget"])), GateAddress(*task["address"])):
        time.sleep(3600)


def work(task: dict[str, Any]) -> None:
    """Ask this worker's prompts, and those that all workers ask; print the money spent."""
    common = task["calls"] // 10
    own = range(common + task["number"], task["calls"], task["workers"])
    places = sorted([*range(common), *own])
    rates = {name: task["budget"][name] for name in task["budget"] if name.endswith("minute")}
    money = {name: task["budget"][name] for name in task["budget"] if name.startswith("max")}
    with (
        GateConnection(GateAddress(*task["address"]), patience=20.0) as gate,
        asking(
            limits=Limits(max_concurrency=SLOTS, **rates),
            cache=task["cache"],
            prices=Prices.parse("in=100,out=100"),
            gate=gate,
            **money,
        ) as account,
    ):
        outcomes = drive([flow(place) for place in places], judge_named("mock", task["url"]))
    unread = sum(outcome.status is Status.UNREADABLE for outcome in outcomes)
    if unread:
        sys.exit(f"{unread} replies could not be read")
    print(account.cost)


def flow(place: int) -> Any:
    """One ask."""
    text = f'<text 0123456789ab>\nThis is text {place}.\n</text 0123456789ab> holds the list "claims"'
    return answered(Ask("own/claims", (Message("user", text),), Texts("claims")))


@contextmanager
def _gate() -> Iterator[GateConnection]:
    with serving(Gate(GateLimits())) as address, GateConnection(address) as connection:
        yield connection


def overhead() -> float:
    """Milliseconds of an ask in leases of ten."""
    from thresher.judges.engine.gate import LeaseRequest

    with _gate() as gate:
        start = time.perf_counter()
        asks = sum(gate.lease(LeaseRequest("a", "", "endpoint", 10)).asks for _ in range(ITEMS_A_CALL))
        return (time.perf_counter() - start) * 1000 / asks


if __name__ == "__main__":
    main()
