"""Progress as people see it: a bar on a terminal, lines elsewhere, live while a judge is asked."""

import io
import os
import sys
import threading
import time

import pytest

from thresher import evaluate
from thresher.judges.engine.account import Account
from thresher.pipelines import progress
from thresher.pipelines.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal_of(monkeypatch):
    """A terminal of 100 columns, looked at every 10 ms; no fixture, since capturing would undo it."""
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_UPDATES", 0.01)
    monkeypatch.setenv("COLUMNS", "100")
    return shown


def wait_for(text, read):
    end = time.monotonic() + 5
    while text not in read() and time.monotonic() < end:
        time.sleep(0.01)
    assert text in read()


def test_a_bar_moves_within_a_chunk_as_judgements_are_made(monkeypatch):
    terminal = terminal_of(monkeypatch)
    account = Account(begun=7, ended=7)  # of a chunk before
    with Progress(20, 10, account=account) as reporter, reporter.chunk(10):
        account.begun += 40
        account.calls, account.known, account.prompt_tokens = 30, 4, 1234
        wait_for("10/20 items", terminal.getvalue)
        wait_for("30 calls, 4 known, 1,234 tokens", terminal.getvalue)
        account.ended += 20
        wait_for("15/20 items", terminal.getvalue)


def test_a_bar_never_moves_back_when_more_is_begun(monkeypatch):
    terminal = terminal_of(monkeypatch)
    account = Account(begun=4, ended=0)
    with Progress(10, account=account) as reporter, reporter.chunk(10):
        account.begun, account.ended = 8, 3
        wait_for("7/10 items", terminal.getvalue)
        account.begun, account.calls = 40, 99
        wait_for("99 calls", terminal.getvalue)
    counts = [part.split("/10 items")[0] for part in terminal.getvalue().split("| ") if "/10 items" in part]
    assert [int(count) for count in counts] == sorted(int(count) for count in counts)


def test_a_bar_is_shown_on_a_terminal_that_tells_no_size(monkeypatch):
    terminal = terminal_of(monkeypatch)
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("os.get_terminal_size", lambda *_: os.terminal_size((0, 0)))
    with Progress(4) as reporter:
        reporter.advance(2)
        assert "0/4" in terminal.getvalue()


def test_elsewhere_a_line_tells_what_was_asked(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.01)
    account = Account()
    with Progress(3, account=account) as reporter, reporter.chunk(3):
        account.begun, account.ended, account.calls = 6, 2, 5
        account.failures["HTTP 500"] += 1
        time.sleep(0.2)
    line = capsys.readouterr().err.splitlines()[0]
    assert line == "0 of 3 items; judged 2 of 6: 5 calls, 0 known, 0 tokens, 1 failed"


def test_silence_means_silence(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    with Progress(3, shown=False, account=Account()) as reporter, reporter.chunk(2):
        pass
    assert capsys.readouterr().err == ""


def test_a_chunk_that_fails_is_not_counted_and_ends_the_watching(monkeypatch):
    terminal = terminal_of(monkeypatch)

    def fails():
        with Progress(3, account=Account(begun=3)) as reporter, reporter.chunk(3):
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011  # the block's own, as it was raised
        fails()
    assert "3/3" not in terminal.getvalue()
    assert "thresher-progress" not in {thread.name for thread in threading.enumerate()}


def test_progress_of_a_run_in_memory_is_told_too(monkeypatch):
    terminal = terminal_of(monkeypatch)
    answers = {"predicted_answers": ["a", "b"], "ground_truth_answers": ["a", "c"]}
    evaluate(["exact_match"], answers, progress=True)
    assert "/2 " in terminal.getvalue()
