"""Runs of libraries against the mock server, for `judging.py`."""

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
CALM = {"base_ms": 50, "per_token_ms": 0.5, "faults": {}, "sticky": False, "retry_after": 1, "hang_s": 60}
CONCURRENCY = 16


class Server:
    """The mock server in a separate process."""

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
        """Clear the statistics and set the behaviour."""
        self._told("/reset", {**CALM, **settings})

    def stats(self) -> dict[str, Any]:
        """Return the statistics since the last reset."""
        return self._told("/stats", {})

    def _told(self, path: str, data: dict[str, Any]) -> Any:
        address = urlsplit(self.url)
        connection = HTTPConnection(str(address.hostname), address.port, timeout=30)
        connection.request("POST", path, json.dumps(data))
        told = json.load(connection.getresponse())
        connection.close()
        return told


class Runs:
    """Run peers over the items."""

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
        """Run once and return the peer's output with the server's statistics; a text if the run failed."""
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
            return f"failed: {last_line(err)}"
        told = json.loads(last_line(out)) if kill_at is None else {}
        return told | {"server": self.server.stats()}

    def kept(self, told: dict[str, Any]) -> str:
        """Count scores, and wrong scores, per metric whose truth is known."""
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


def last_line(text: str) -> str:
    """The last line that is not blank."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no word"
