"""An experiment that is killed at random moments and resumed, against an undisturbed one.

    python benchmarks/experiments_kills.py [--kills 5] [--seed 1]

The tutorials' corpus and questions, 12 configurations (3 chunk sizes x 4 values of top_k) by one command,
`thresher experiment`. Its process is killed (SIGKILL) at random moments while it answers, and the same
command is run again, until it ends. Then ids, answers, contexts, rankings, item scores and statuses of every
configuration must be equal to those of an undisturbed experiment. The generator answers with one sentence
of its prompt after some milliseconds, and appends each call to a log. No call whose reply was stored may be
made twice. A kill interrupts at most one call per worker: its reply was not received, or is not on the disk.
"""

import argparse
import hashlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import component
from haystack.dataclasses import ChatMessage

TOP = Path(__file__).parents[1]
DATA = TOP / "tutorials" / "data"
PIPELINES = TOP / "tutorials" / "experiment"
TOP_K, LENGTHS = "1,2,3,5", "25,50,100"
WORD = re.compile(r"\w{4,}")
SECONDS = 0.02
WITHIN = (0.5, 4.0)
"""Seconds from the first new call until the kill: an undisturbed run answers for about 15 seconds."""
COLUMNS = ("predicted_answers", "contexts", "rankings", "retrieved_documents")


@component
class SentenceWriter:
    """A ChatGenerator that answers with the sentence of the prompt that shares most words with the question.

    Args:
        log: file with a line per call, written before the reply is returned.
    """

    def __init__(self, log: str) -> None:
        self.log = log

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """Answer from the last message."""
        text = messages[-1].text or ""
        passages, _, question = text.rpartition("Question:")
        words = set(map(str.lower, WORD.findall(question)))
        sentences = [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n", passages) if part.strip()]
        shared = [len(words & set(map(str.lower, WORD.findall(sentence)))) for sentence in sentences]
        answer = (
            sentences[shared.index(max(shared))] if max(shared, default=0) else "The passages do not say."
        )
        digest = hashlib.sha256(text.encode()).hexdigest()
        time.sleep(SECONDS)
        with Path(self.log).open("a", encoding="utf-8") as log:
            log.write(f"{digest}\n")
        usage = {"prompt_tokens": len(text.split()), "completion_tokens": len(answer.split())}
        return {"replies": [ChatMessage.from_assistant(answer, meta={"model": "sentence", "usage": usage})]}


def command(folder: Path) -> list[str]:
    """The command that is killed and run again."""
    files = ["--questions", DATA / "questions.jsonl", "--documents", DATA / "corpus.jsonl"]
    return [
        *(sys.executable, "-m", "thresher", "experiment", str(folder / "rag.yaml"), *map(str, files)),
        *("--indexing", str(PIPELINES / "indexing.yaml"), "--out", str(folder / "out"), "--workers", "2"),
        *("--vary", f"retriever.top_k={TOP_K}", "--vary", f"splitter.split_length={LENGTHS}"),
        *(
            "--metrics",
            "token_f1,retrieval_recall",
            "--quiet",
            "--format",
            "json",
            "-o",
            str(folder / "board.json"),
        ),
    ]


def start(folder: Path) -> "subprocess.Popen[bytes]":
    """Start the command; its pipeline file is that of the tutorials with another generator."""
    folder.mkdir(exist_ok=True)
    text = (PIPELINES / "rag.yaml").read_text(encoding="utf-8")
    text = text.replace(
        "thresher.pipelines.recorded_generator.RecordedGenerator", f"{Path(__file__).stem}.SentenceWriter"
    )
    log = json.dumps(str(folder / "calls.log"))
    text = re.sub(r"\{recording: .*\}", lambda _: f"{{log: {log}}}", text)
    (folder / "rag.yaml").write_text(text, encoding="utf-8")
    allowed = {"HAYSTACK_DESERIALIZATION_ALLOWLIST": f"thresher,{Path(__file__).stem}"}
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(command(folder), env={**os.environ, **allowed, "PYTHONPATH": path})  # noqa: S603


def calls(folder: Path) -> list[str]:
    """Digests of the prompts of all calls, in their order."""
    log = folder / "calls.log"
    return log.read_text(encoding="utf-8").split() if log.exists() else []


def stored(folder: Path) -> int:
    """Number of replies on the disk."""
    with closing(sqlite3.connect(folder / "out" / "replies.sqlite")) as connection:
        count: int = connection.execute("SELECT count(*) FROM answers").fetchone()[0]
    return count


def disturb(folder: Path, kills: int, rng: random.Random) -> list[tuple[int, int]]:
    """Run until the end, killed in between; return for each kill the calls, and those whose reply is lost."""
    killed: list[tuple[int, int]] = []
    while True:
        process, before = start(folder), len(calls(folder))
        while len(killed) < kills and process.poll() is None and len(calls(folder)) == before:
            time.sleep(0.01)
        if len(killed) < kills:
            time.sleep(rng.uniform(*WITHIN))
        if len(killed) >= kills or process.poll() is not None:
            process.wait()
            return killed
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        killed.append((len(calls(folder)), len(set(calls(folder))) - stored(folder)))


def visible(folder: Path) -> dict[str, str]:
    """What must not depend on kills, by configuration: everything but how long it took."""
    from thresher import open_run

    seen = {}
    for path in sorted((folder / "out").glob("*/run.json")):
        run = open_run(path.parent)
        columns = {name: list(run.inputs[name]) for name in COLUMNS if name in run.inputs}
        results = [result for result in run.results if result.name != "latency"]
        scores = [(result.name, result.item_scores().tolist(), result.status.tolist()) for result in results]
        seen[run.name] = repr((run.complete, list(run.ids), columns, scores, run.provenance["settings"]))
    return seen


def faults(folder: Path, expected: dict[str, str]) -> list[str]:
    """What is wrong after the last start."""
    from thresher import verify_run

    seen = visible(folder)
    whole = [verify_run(path.parent).whole for path in (folder / "out").glob("*/run.json")]
    checks = {
        "other configurations": seen.keys() == expected.keys(),
        "other results": seen == expected,
        "a file is not whole": all(whole),
        "a temporary file is left": not list((folder / "out").rglob("*.tmp")),
    }
    return [fault for fault, fine in checks.items() if not fine]


def main() -> int:
    """Print what happened; 1 for a fault or a call made twice."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        alone, killed = Path(name) / "alone", Path(name) / "killed"
        begin = time.monotonic()
        start(alone).wait()
        seconds = time.monotonic() - begin
        expected, distinct = visible(alone), set(calls(alone))
        print(
            f"undisturbed: {len(expected)} configurations, {len(calls(alone))} calls, {seconds:.0f} s",
            flush=True,
        )
        moments = disturb(killed, options.kills, random.Random(options.seed))
        made, lost = Counter(calls(killed)), sum(without_reply for _, without_reply in moments)
        twice, wrong = made.total() - len(made) - lost, faults(killed, expected)
        after = ", ".join(str(number) for number, _ in moments)
        print(f"killed {len(moments)} times, after {after} calls: {made.total()} calls")
        print(f"calls made twice though their reply was stored: {twice}; lost by a kill before that: {lost}")
        wrong += ["other prompts"] if distinct != set(made) else []
        print(f"results: {', '.join(wrong) or 'as undisturbed'}")
    return 1 if wrong or twice > 0 or len(expected) < 12 or len(moments) < options.kills else 0


if __name__ == "__main__":
    sys.exit(main())
