"""The line of an experiment: what all configurations were asked, answers, failures, cost, time left."""

import io
import sys
from types import SimpleNamespace

import pytest

from thresher.judges import Prices
from thresher.judges.engine.account import Account
from thresher.pipelines.experiments.progress import ExperimentProgress
from thresher.pipelines.experiments.trials import OpenTrial


class Screen(io.StringIO):
    def isatty(self):
        return True


class Store:
    """Two blocks of three and two questions."""

    ids, blocks = list("abcde"), 2

    def rows(self, number):
        return range(3) if number == 0 else range(3, 5)


def trial(*open_blocks):
    run = SimpleNamespace(store=Store())
    return OpenTrial(SimpleNamespace(problem="", seconds=0.0), run, set(open_blocks))


def test_the_line_counts_questions_that_all_were_asked():
    trials = [trial(0, 1), trial(1)]
    account = Account(Prices.parse("in=1,out=1"))
    progress = ExperimentProgress(trials, account, shown=False)
    assert progress.line() == "configurations 2 · questions 0 of 5 · 3 of 10 answers"
    for _ in range(3):
        progress.advance()
    trials[0].open_blocks.discard(0)
    progress.failed, account.cost = 1, 1.123
    line = progress.line()
    assert line.startswith("configurations 2 · questions 3 of 5 · 6 of 10 answers · 1 failed · cost 1.12 · ")
    assert line.endswith(" left")
    for _ in range(4):
        progress.advance()
    trials[0].open_blocks.clear()
    trials[1].open_blocks.clear()
    assert "questions 5 of 5 · 10 of 10 answers" in progress.line()


@pytest.mark.parametrize("columns", ["80", "30"])
def test_a_terminal_shows_one_line_that_fits(monkeypatch, columns):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", columns)
    with ExperimentProgress([trial(0)], Account(), shown=True) as progress:
        progress.advance()
    last = screen.getvalue().split("\r\x1b[K")[-1]
    assert last.startswith("configurations 1 · questions")
    assert last.endswith("\n")
    assert len(last) <= int(columns)


def test_silence_writes_nothing(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with ExperimentProgress([trial(0)], Account(), shown=False) as progress:
        progress.advance()
    assert screen.getvalue() == ""
