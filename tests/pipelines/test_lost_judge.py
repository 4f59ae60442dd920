"""Python's side of a lost judge: results say so, also when they are stored later."""

import warnings

import pytest
from haystack.components.generators.chat import MockChatGenerator

from thresher import evaluate, open_run, run_batch, save_run
from thresher.components import ValorCoherenceEvaluator, ValorFaithfulnessEvaluator
from thresher.errors import IncompleteWarning
from thresher.judges import Limits, asking

pytestmark = pytest.mark.filterwarnings("ignore:component .* cannot be serialised")
ANSWERS = [f"Answer {number}." for number in range(40)]
REASON = "the judge stopped answering: ConnectionError: the line is dead"
SENTENCE = rf"Unfinished: 3\d of 40 items lack valor_coherence, because {REASON}. Run again to continue\."


class Dying:
    """Answers so many times, and then never again until it is revived."""

    model = "dying"

    def __init__(self, answers):
        self.left, self.calls = answers, 0

    def run(self, messages):  # noqa: ARG002
        self.calls += 1
        self.left -= 1
        if self.left < 0:
            raise ConnectionError("the line is dead")
        return MockChatGenerator('{"reason": "r", "rating": 4}').run([])


@pytest.fixture(autouse=True)
def _limits():
    with asking(limits=Limits(max_concurrency=2, max_tries=1)):
        yield


def test_results_in_memory_say_that_they_are_not_complete():
    with pytest.warns(IncompleteWarning, match=SENTENCE):
        results = evaluate([ValorCoherenceEvaluator(Dying(8))], {"response": ANSWERS})
    assert not results.complete
    assert results.provenance["unfinished"] == REASON
    assert results.metrics["valor_coherence"].result.n_scored == 8
    (asked,) = results.provenance["asking"]
    assert asked["lost"] == {"ConnectionError: the line is dead": 32}
    report = results.individual_aggregate_score_report("markdown")
    assert report.startswith("- Unfinished: 32 of 40 items lack valor_coherence")
    assert "valor_coherence: 32 of 40 items failed: ConnectionError: the line is dead." in report


def test_the_same_call_continues_where_answers_are_kept():
    judge = Dying(8)
    with pytest.warns(IncompleteWarning):
        evaluate([ValorCoherenceEvaluator(judge)], {"response": ANSWERS})
    judge.left, judge.calls = 100, 0
    results = evaluate([ValorCoherenceEvaluator(judge)], {"response": ANSWERS})
    assert (results.complete, judge.calls) == (True, 32)


def test_stored_results_that_are_not_complete_stay_so(tmp_path):
    with pytest.warns(IncompleteWarning):
        results = evaluate([ValorCoherenceEvaluator(Dying(8))], {"response": ANSWERS})
    save_run(results, tmp_path / "run")
    stored = open_run(tmp_path / "run")
    assert not stored.complete
    assert stored.provenance["unfinished"] == REASON


def test_a_batch_says_that_it_is_not_complete():
    faithfulness = ValorFaithfulnessEvaluator(Dying(0))
    with pytest.warns(IncompleteWarning, match="40 of 40 items lack valor_faithfulness, because"):
        results = run_batch([faithfulness], ["?"] * 40, ANSWERS, contexts=[["c"]] * 40)
    assert not results.complete


def test_a_judge_that_is_back_is_asked_again_by_the_next_call():
    judge = Dying(0)
    for answers, complete in ((0, False), (100, True)):
        judge.left = answers
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IncompleteWarning)
            results = evaluate([ValorCoherenceEvaluator(judge)], {"response": ANSWERS})
        assert results.complete is complete


def test_nothing_is_said_of_a_complete_run():
    results = evaluate([ValorCoherenceEvaluator(Dying(40))], {"response": ANSWERS})
    assert results.complete
    assert "unfinished" not in results.provenance
