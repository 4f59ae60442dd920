"""Judged metrics beside the other libraries: calls, time, and what is left when the server fails.

    python benchmarks/judging.py [--peers ragas=PYTHON,deepeval=PYTHON,...] [--items 100] [--repeats 3]
    python benchmarks/judging.py --faults http429,http500,malformed,hang,length,refusal,empty
    python benchmarks/judging.py --restart

Every library judges the same items, whose true scores are known, and asks the same server on this machine,
which answers after 50 ms and half a millisecond a token. A library is run with the Python in which it is
installed; where that lacks it, it is passed over with a word. Nothing but the loopback interface is used.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

HERE = Path(__file__).parent
PEERS = HERE / "judging_peers"
JUDGES = HERE.parent / "tests" / "judges"
sys.path.insert(0, str(JUDGES))

from rag_items import rag_items  # noqa: E402

ROWS = {
    "thresher": ("thresher", "thresher_pipeline.py", ""),
    "thresher, claims from statements": ("thresher", "thresher_pipeline.py", "statements"),
    "thresher, pipeline run blocking": ("thresher", "thresher_pipeline.py", "sync"),
    "ragas evaluate": ("ragas", "ragas_evaluate.py", ""),
    "DeepEval evaluate": ("deepeval", "deepeval_evaluate.py", ""),
    "LlamaIndex batch runner (3 metrics)": ("llamaindex", "llamaindex_batch.py", ""),
    "Haystack pipeline (2 metrics)": ("haystack", "haystack_pipeline.py", ""),
    "Inspect (4 graders)": ("inspect", "inspect_eval.py", ""),
}
UNDER_FAULTS = {
    "thresher": ("thresher", "thresher_pipeline.py", "timeout=20"),
    "ragas evaluate": ("ragas", "ragas_evaluate.py", ""),
    "DeepEval, ignoring errors": ("deepeval", "deepeval_evaluate.py", "ignore"),
    "LlamaIndex batch runner (3 metrics)": ("llamaindex", "llamaindex_batch.py", ""),
    "Haystack, not raising (2 metrics)": ("haystack", "haystack_pipeline.py", "noraise"),
    "Inspect (4 graders)": ("inspect", "inspect_eval.py", ""),
}
FAULTS = {
    "none": {},
    "http429": {"faults": {"http429": 0.1}, "retry_after": 1},
    "http500": {"faults": {"http500": 0.1}},
    "malformed": {"faults": {"malformed": 0.1}},
    "hang": {"faults": {"hang": 0.01}},
    "length": {"faults": {"length": 0.1}},
    "refusal": {"faults": {"refusal": 0.1}},
    "empty": {"faults": {"empty": 0.1}},
    "missing": {"faults": {"missing": 0.1}},
    "broken_body": {"faults": {"broken_body": 0.1}},
    "sticky500": {"faults": {"http500": 0.01}, "sticky": True},
    "stickymalformed": {"faults": {"malformed": 0.02}, "sticky": True},
}
CALM = {"base_ms": 50, "per_token_ms": 0.5, "faults": {}, "sticky": False, "retry_after": 1, "hang_s": 60}
CONCURRENCY = 16


class Server:
    """The mock server in a process of its own."""

    def __enter__(self) -> Self:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(JUDGES), str(PEERS)])}
        script = [sys.executable, str(PEERS / "serve.py")]
        self.process = subprocess.Popen(  # noqa: S603  (our own script)
            script, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.url = self.process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def reset(self, **settings: Any) -> None:
        """Forget what happened and behave as told."""
        self._told("/reset", {**CALM, **settings})

    def stats(self) -> dict[str, Any]:
        """What happened since the last reset."""
        return self._told("/stats", {})

    def _told(self, path: str, data: dict[str, Any]) -> Any:
        address = urlsplit(self.url)
        connection = HTTPConnection(str(address.hostname), address.port, timeout=30)
        connection.request("POST", path, json.dumps(data))
        told = json.load(connection.getresponse())
        connection.close()
        return told


class Runs:
    """Runs peers over the items."""

    def __init__(self, server: Server, pythons: dict[str, str], items: list[Any], limit: int) -> None:
        self.server, self.pythons, self.limit = server, pythons, limit
        self.items = items
        self.file = Path(tempfile.mkdtemp()) / "items.json"
        self.file.write_text(json.dumps(items))

    def run(
        self,
        row: tuple[str, str, str],
        settings: dict[str, Any] | None = None,
        option: str = "",
        kill_at: int | None = None,
    ) -> Any:
        """One run: what the peer told and what the server saw; a text if it did not work."""
        peer, script, own = row
        if peer not in self.pythons:
            return f"no Python with it was named: --peers {peer}=..."
        self.server.reset(**(settings or {}))
        joined = ",".join(part for part in (own, option) if part)
        command = [
            self.pythons[peer], str(PEERS / script), str(self.file), self.server.url,
            "--concurrency", str(CONCURRENCY), "--option", joined,
        ]  # fmt: skip
        environment = {**os.environ, "OPENAI_API_KEY": "none", "RAGAS_DO_NOT_TRACK": "true"}
        process = subprocess.Popen(  # noqa: S603  (our own script)
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=tempfile.gettempdir(),
        )
        if kill_at is not None:
            while self.server.stats()["calls"] < kill_at:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
        try:
            out, err = process.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return f"killed after {self.limit} s"
        if process.returncode and kill_at is None:
            return f"failed: {_last_line(err)}"
        told = json.loads(_last_line(out)) if kill_at is None else {}
        return told | {"server": self.server.stats()}

    def kept(self, told: dict[str, Any]) -> str:
        """Scores kept and scores wrong, per metric whose truth is known."""
        lines = []
        for name, column in told["scores"].items():
            truth = [item.get(name) for item in self.items]
            kept = sum(score is not None for score in column)
            known = [
                abs(score - true) > 1e-6
                for score, true in zip(column, truth, strict=True)
                if score is not None and true is not None
            ]
            wrong = f" ({sum(known)} wrong)" if sum(known) else ""
            lines.append(f"{kept}{wrong}")
        return " ".join(lines)


def costs(runs: Runs, repeats: int) -> None:
    """Time and calls of the same work."""
    print("| | version | calls | wall s | ideal s | wall / ideal | CPU ms a call | most in flight | MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, row in ROWS.items():
        told = [runs.run(row) for _ in range(repeats)]
        failed = next((one for one in told if isinstance(one, str)), None)
        if failed:
            print(f"| {name} | {failed} |")
            continue
        middle = sorted(told, key=lambda one: one["wall"])[len(told) // 2]
        server = middle["server"]
        ideal = server["latency_s"] / CONCURRENCY
        cells = [
            name,
            middle["version"],
            server["calls"],
            f"{middle['wall']:.2f}",
            f"{ideal:.2f}",
            f"{middle['wall'] / ideal:.2f}",
            f"{middle['cpu'] / server['calls'] * 1000:.1f}",
            server["max_in_flight"],
            f"{middle['rss_mb']:.0f}",
        ]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def faults(runs: Runs, names: list[str]) -> None:
    """What is left of the scores when the server fails."""
    print("| fault | library | wall s | calls (failed) | scores kept per metric |")
    print("|---|---|---|---|---|")
    for name in names:
        for library, row in UNDER_FAULTS.items():
            told = runs.run(row, FAULTS[name])
            if isinstance(told, str):
                print(f"| {name} | {library} | {told} |", flush=True)
                continue
            server = told["server"]
            failed = sum(server["faults"].values())
            kept = runs.kept(told)
            print(
                f"| {name} | {library} | {told['wall']:.1f} | {server['calls']} ({failed}) | {kept} |",
                flush=True,
            )
            for reason in told.get("reasons", []):
                print(f"|  | {reason} |")


def restart(runs: Runs) -> None:
    """A second run with the cache file of the first, and a run that was killed half-way."""
    with tempfile.TemporaryDirectory() as folder:
        row, option = ROWS["thresher"], f"cache={folder}/answers.sqlite"
        for name in ("first run", "second run"):
            told = runs.run(row, option=option)
            print(f"{name}: {told['server']['calls']} calls, {told['wall']:.2f} s, kept {runs.kept(told)}")
        option = f"cache={folder}/killed.sqlite"
        killed = runs.run(row, option=option, kill_at=350)["server"]["calls"]
        told = runs.run(row, option=option)
        calls = told["server"]["calls"]
        finished = killed - CONCURRENCY
        print(
            f"killed at call {killed}, at least {finished} of them finished; then {calls} calls, "
            f"{700 - calls} of {finished} reused, kept {runs.kept(told)}"
        )


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no word"


def _pythons(told: str) -> dict[str, str]:
    named = dict(part.partition("=")[::2] for part in told.split(",") if part)
    return {"thresher": sys.executable, **named}


def main() -> None:
    """Read the options and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", default="", help="library=python, comma-separated")
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--faults", default="", help=f"of {', '.join(FAULTS)}")
    parser.add_argument("--restart", action="store_true")
    parser.add_argument("--limit", type=int, default=420, help="seconds for one run")
    options = parser.parse_args()
    with Server() as server:
        runs = Runs(server, _pythons(options.peers), rag_items(options.items), options.limit)
        if options.faults:
            faults(runs, options.faults.split(","))
        elif options.restart:
            restart(runs)
        else:
            costs(runs, options.repeats)


if __name__ == "__main__":
    main()
