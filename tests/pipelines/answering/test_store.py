import threading
import time
from datetime import UTC, datetime

import numpy as np
import pytest
from haystack import Document, Pipeline, component

from pipelines.query_systems import ANSWERS, QUESTIONS, Writer, asked, rag
from thresher.errors import DataWarning, InputError, RunDirectoryError
from thresher.judges import Prices
from thresher.judges.engine.account import Account
from thresher.pipelines.answering import (
    AnswerStore,
    QueryPipeline,
    ReplyCache,
    answer_questions,
    answers_identity,
    failures,
)
from thresher.pipelines.responses import Response

IDS = [f"q{number}" for number in range(len(QUESTIONS))]


def query(tmp_path, **options):
    return QueryPipeline(rag(Writer(str(tmp_path / "log"), **options)))


def store(tmp_path, *, identity="one", ids=IDS, block=3):
    return AnswerStore(tmp_path / "answers", identity, ids, block=block)


def test_answers_with_documents_and_usage_are_read_back_as_they_were(tmp_path):
    account = Account(Prices.parse("in=1,out=2"))
    assert answer_questions(query(tmp_path), QUESTIONS, store(tmp_path), account=account)
    responses = store(tmp_path).responses()
    assert [response.answer for response in responses] == ANSWERS
    first = responses[0]
    assert (first.ranking[0][0], first.contexts) == ("tower", ["The tower is 48 m high."])
    assert (first.input_tokens, first.output_tokens, first.cost) == (12, 2, 16e-6)
    assert 0 < first.seconds < 30
    assert account.cost == pytest.approx(sum(response.cost for response in responses))


def test_what_is_complete_is_not_asked_again_and_what_failed_is(tmp_path):
    answer_questions(query(tmp_path, fail_on="mast"), QUESTIONS, store(tmp_path))
    known = store(tmp_path)
    assert known.open_blocks() == [0]
    failed = known.responses()[1]
    assert failed.problem == "the query pipeline failed in writer: RuntimeError: out of paper"
    assert (failed.component, failed.error, failed.passing) == ("writer", "RuntimeError", False)
    assert failures(known.responses()) == f"no answer to 1 of 8 questions; {failed.problem}"
    answer_questions(query(tmp_path), QUESTIONS, known)
    assert asked(tmp_path / "log")[len(QUESTIONS) :] == ["Question: How high is the mast?"]
    assert [response.answer for response in known.responses()] == ANSWERS


def test_blocks_are_asked_as_the_caller_orders(tmp_path):
    known = store(tmp_path)
    answer_questions(query(tmp_path), QUESTIONS, known, blocks=[2], workers=1)
    assert [line.split()[-1] for line in asked(tmp_path / "log")] == ["arch?", "wall?"]
    assert known.open_blocks() == [0, 1]
    assert [response and response.answer for response in known.responses()] == [None] * 6 + ANSWERS[6:]


def test_a_damaged_block_is_set_aside_and_asked_again(tmp_path):
    answer_questions(query(tmp_path), QUESTIONS, store(tmp_path))
    part = tmp_path / "answers" / "part-00001.parquet"
    part.write_bytes(part.read_bytes().replace(b"m high", b"m HIGH").replace(b"PAR1", b"PAR2", 1))
    known = store(tmp_path)
    assert known.open_blocks() == [1]
    with pytest.warns(DataWarning, match=r"part-00001.*computed anew; the old file is now .*damaged-1"):
        answer_questions(query(tmp_path), QUESTIONS, known)
    assert [response.answer for response in known.responses()] == ANSWERS
    assert len(asked(tmp_path / "log")) == len(QUESTIONS) + 3


@pytest.mark.parametrize("change", [{"identity": "two"}, {"ids": IDS[::-1]}, {"block": 4}])
def test_answers_of_something_else_are_refused(tmp_path, change):
    answer_questions(query(tmp_path), QUESTIONS, store(tmp_path))
    with pytest.raises(RunDirectoryError, match="holds answers of another pipeline or to other questions"):
        store(tmp_path, **change)


def test_an_answer_of_another_process_is_not_replaced_by_a_failure(tmp_path):
    def ask(rows):
        answer_questions(query(tmp_path), QUESTIONS, store(tmp_path), blocks=[0])  # another process
        return query(tmp_path, fail_on="How").respond([QUESTIONS[row] for row in rows], workers=1)

    store(tmp_path).commit(0, ask)
    assert [response.answer for response in store(tmp_path).read(0)] == ANSWERS[:3]


def test_the_same_failure_of_all_questions_ends_after_the_first_block_and_stores_nothing(tmp_path):
    with pytest.raises(
        InputError, match="none of 3 questions got an answer: the query pipeline failed in wri"
    ):
        answer_questions(query(tmp_path, fail_on="How"), QUESTIONS, store(tmp_path))
    assert len(asked(tmp_path / "log")) == 3
    assert store(tmp_path).open_blocks() == [0, 1, 2]


def test_a_spent_account_ends_before_the_next_block(tmp_path):
    known, account = store(tmp_path), Account(Prices.parse("in=1,out=0"), max_cost=20e-6)
    assert not answer_questions(query(tmp_path), QUESTIONS, known, account=account)
    assert account.spent
    assert known.open_blocks() == [1, 2]
    assert answer_questions(query(tmp_path), QUESTIONS, known)
    assert len(asked(tmp_path / "log")) == len(QUESTIONS)


def test_a_limit_on_cost_needs_the_price_of_every_model(tmp_path):
    account = Account(Prices(models=Prices.parse("in=1,out=0").models), max_cost=1.0)
    with pytest.raises(InputError, match="no price for 'writer-1'"):
        answer_questions(query(tmp_path), QUESTIONS, store(tmp_path), account=account)
    assert asked(tmp_path / "log") == []


def test_configurations_with_equal_prompts_share_replies(tmp_path):
    with ReplyCache(tmp_path / "replies.sqlite") as cache:
        for name in ("a", "b"):
            known = AnswerStore(tmp_path / name, answers_identity(name=name), IDS)
            answer_questions(query(tmp_path), QUESTIONS, known, cache=cache)
            assert [response.answer for response in known.responses()] == ANSWERS
            assert [response.input_tokens for response in known.responses()] == [12] * 8
    assert len(asked(tmp_path / "log")) == len(QUESTIONS)


def test_a_store_of_which_every_block_is_damaged_is_asked_anew(tmp_path):
    answer_questions(query(tmp_path), QUESTIONS, store(tmp_path, block=8))
    part = tmp_path / "answers" / "part-00000.parquet"
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.warns(DataWarning, match="damaged-1"):
        answer_questions(query(tmp_path), QUESTIONS, store(tmp_path, block=8))
    assert [response.answer for response in store(tmp_path, block=8).responses()] == ANSWERS


def test_a_block_in_the_place_of_another_is_not_used(tmp_path):
    answer_questions(query(tmp_path), QUESTIONS, store(tmp_path))
    folder = tmp_path / "answers"
    (folder / "part-00001.parquet").write_bytes((folder / "part-00000.parquet").read_bytes())
    assert store(tmp_path).open_blocks() == [1]


@component
class Busy:
    """A system that counts how many questions it answers at the same time."""

    def __init__(self):
        self.lock, self.now, self.most = threading.Lock(), 0, 0

    @component.output_types(answer=str)
    def run(self, query: str):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.01)
        with self.lock:
            self.now -= 1
        return {"answer": query}


def test_workers_limit_the_questions_under_way_across_blocks(tmp_path):
    busy = Busy()
    pipeline = Pipeline()
    pipeline.add_component("busy", busy)
    questions = [str(number) for number in range(24)]
    known = AnswerStore(tmp_path / "busy", "busy", questions, block=2)
    answer_questions(QueryPipeline(pipeline), questions, known, workers=3)
    assert busy.most == 3, "more than one block, and no more than the workers"
    assert [response.answer for response in known.responses()] == questions


def test_an_interrupt_ends_after_the_blocks_in_hand(tmp_path):
    seen = []

    def done():
        seen.append(1)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer_questions(query(tmp_path), QUESTIONS, store(tmp_path, block=1), done=done)
    assert len(asked(tmp_path / "log")) <= 6
    answer_questions(query(tmp_path), QUESTIONS, store(tmp_path, block=1))
    assert [response.answer for response in store(tmp_path, block=1).responses()] == ANSWERS


def test_documents_of_any_content_are_stored(tmp_path):
    documents = [
        Document(id="a", content=None, meta={"when": datetime(2020, 1, 2, tzinfo=UTC), "n": np.int64(3)}),
        Document(id="b", content="half \ud83d", score=float("nan"), embedding=[0.1]),
    ]
    known = AnswerStore(tmp_path / "odd", "odd", ["q"])
    known.commit(0, lambda _: [Response("yes", documents)])
    [response] = known.responses()
    assert [document.id for document in response.documents] == ["a", "b"]
    assert response.ranking == [["a", None], ["b", None]]
    assert response.contexts == ["", "half \ufffd"]
