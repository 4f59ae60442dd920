"""Standard output in an encoding that lacks arrows and letters, as Windows' redirected output has it."""

import io
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from thresher.cli import main

ROWS = [{"id": name, "question": "q", "response": "東京 é", "reference": "x"} for name in ("a", "b")]
COMMANDS = (
    ("run", "qa", "--data", "d.jsonl", "--quiet"),
    ("report", "runs/d"),
    ("report", "runs/d", "--detailed", "--format", "json"),
    ("compare", "runs/d", "runs/d", "--format", "markdown"),
    ("thresholds", "runs/d"),
    ("inputs-below", "runs/d", "--metric", "token_f1", "--threshold", "0.5"),
    ("gate", "runs/d", "--require", "coverage(token_f1)>=0.01"),
    ("list",),
)


@pytest.fixture
def printed(tmp_path, monkeypatch):
    """What a command writes to streams of an encoding, and its exit code."""
    monkeypatch.chdir(tmp_path)
    Path("d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")

    def run(encoding, *words):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        code = main(words)
        texts = []
        for stream in streams:
            stream.flush()
            texts.append(stream.buffer.getvalue().decode(encoding))
        return code, *texts

    return run


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_every_verb_prints_in_any_encoding(encoding, printed):
    for words in COMMANDS:
        code, _, errors = printed(encoding, *words)
        assert (code, "unforeseen" in errors) == (0, False), (words, errors)
    _, table, _ = printed(encoding, "report", "runs/d")
    assert "token_f1 ^" in table


def test_letters_keep_their_likeness_and_others_become_question_marks(printed):
    printed("ascii", *COMMANDS[0])
    _, table, _ = printed("ascii", "inputs-below", "runs/d", "--metric", "token_f1", "--threshold", "0.5")
    assert "?? e" in table


def test_utf_8_keeps_its_arrows(printed):
    _, table, _ = printed("utf-8", *COMMANDS[0])
    assert "token_f1 ↑" in table


@pytest.mark.slow
@pytest.mark.parametrize(("words", "code"), [("list", 0), ("report none", 2)])
def test_closed_streams_are_like_streams_that_are_discarded(words, code):
    command = f"exec {shlex.quote(sys.executable)} -m thresher {words} >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, "unexpected" in done.stderr) == (code, False)
    done = subprocess.run(["bash", "-c", f"{command} 2>&-"], capture_output=True)
    assert done.returncode == code
