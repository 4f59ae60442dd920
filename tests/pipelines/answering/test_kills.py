"""Runs of query pipelines that are killed: what a generator has answered is not asked again."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from pipelines.query_systems import ANSWERS, QUESTIONS, asked
from processes import Forked
from thresher import open_run

TESTS = Path(__file__).parents[2]
RUN = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from pipelines.query_systems import ANSWERS, QUESTIONS, Writer, rag
from thresher import build
from thresher.files.stores import folder
from thresher.judges.engine import leases
from thresher.pipelines.answering import QueryPipeline, ReplyCache, questions
from thresher.pipelines.answering.answered_run import AnsweredRun
from thresher.pipelines.answering.question_data import question_data

leases.LIFE, leases.BEAT = 0.8, 0.2  # what a killed process was asking is soon free
fill, left = folder.fill, [int(sys.argv[4])]

def last(temporary, content):  # killed when the replies are there, and before they are committed as a block
    if temporary.name.startswith("part-"):
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
    fill(temporary, content)

folder.fill = last
if left[0]:
    questions._LANES = 1  # a call of another block would be under way
writer = Writer(sys.argv[2])
reply = writer.reply
writer.reply = lambda prompt: (time.sleep(float(sys.argv[5])), reply(prompt))[1]
query, data = QueryPipeline(rag(writer)), question_data({"question": QUESTIONS, "answer": ANSWERS})
run = AnsweredRun(sys.argv[3], query, build(["exact_match"]), data, block=2)
with ReplyCache(run.replies) as cache:
    run.answer(workers=2, cache=cache)
run.score()
"""
_WORKERS = 2


def start(tmp_path, die_at=0, seconds=0.0):
    return Forked(RUN, TESTS, tmp_path / "log", tmp_path / "run", die_at, seconds)


def check_result(tmp_path):
    results = open_run(tmp_path / "run")
    assert results.complete
    assert results.metric("exact_match").value == 1.0
    assert list(results.inputs["predicted_answers"]) == ANSWERS


@pytest.mark.slow
def test_a_kill_between_replies_and_their_commit_costs_no_call(tmp_path):
    for die_at in (1, 2, 2, 1):
        killed = start(tmp_path, die_at)
        killed.communicate()
        assert killed.returncode == -signal.SIGKILL
    start(tmp_path).communicate()
    check_result(tmp_path)
    assert sorted(asked(tmp_path / "log")) == sorted(f"Question: {question}" for question in QUESTIONS)


@pytest.mark.slow
def test_kills_at_random_cost_at_most_the_calls_under_way(tmp_path):
    draws, kills = random.Random(0), 3  # noqa: S311  # seeded
    for _ in range(kills):
        process = start(tmp_path, seconds=0.05)
        while process.poll() is None and len(asked(tmp_path / "log")) < 2:
            time.sleep(0.005)
        time.sleep(draws.uniform(0, 0.06))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    finished = start(tmp_path)
    assert finished.communicate()[1] == ""
    check_result(tmp_path)
    assert len(QUESTIONS) <= len(asked(tmp_path / "log")) <= len(QUESTIONS) + kills * _WORKERS


def test_processes_that_share_a_run_ask_every_question_once(tmp_path):
    processes = [start(tmp_path, seconds=0.01) for _ in range(3)]
    assert [process.communicate()[1] for process in processes] == [""] * 3
    check_result(tmp_path)
    assert len(asked(tmp_path / "log")) == len(QUESTIONS)
    assert not list((tmp_path / "run" / "answers").glob("*.damaged-*"))
