import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.judged.origins import Judge, blocks_of, score
from thresher.components.judged.llamaindex.correctness import LlamaIndexCorrectnessEvaluator
from thresher.errors import InputError
from thresher.judges import rehearse
from thresher.judges.steps import MAX_ASKS
from thresher.results import Status


def outcome(replies, stated=("r",), **options):
    evaluator = LlamaIndexCorrectnessEvaluator(**options)
    return rehearse(evaluator._flow("q", "a", None if stated is None else list(stated)), replies)


@settings(deadline=None)
@given(st.floats(1, 5))
def test_the_score_and_whether_it_passes(number):
    found = outcome([score(number)]).value
    assert found.score == pytest.approx(number)
    assert found.evidence["passing"] is (found.score >= 4.0)
    assert found.counts["passing"] == float(found.score >= 4.0)


@pytest.mark.parametrize("reply", ["Score: 4\nok", "4", "4.0\nGood.", "\n4\nGood."])
def test_a_score_is_found_where_llamaindex_finds_none_or_fails(reply):
    assert outcome([reply]).value.score == 4.0


def test_nine_of_five_does_not_count():
    """LlamaIndex takes it."""
    assert outcome(["9\nSplendid."] * MAX_ASKS).status is Status.UNREADABLE


def test_the_threshold_is_an_option_and_inclusive():
    assert outcome([score(3)], threshold=3).value.evidence["passing"] is True
    assert outcome([score(4.5)], threshold=5).value.evidence["passing"] is False


def test_several_references_are_asked_about_one_by_one():
    found = outcome([score(2), score(5)], ["r", "s"])
    assert [reply.ask.prompt for reply in found.replies] == ["llamaindex/correctness"] * 2
    assert found.value.score == 5.0
    assert [told["score"] for told in found.value.evidence["references"]] == [2.0, 5.0]
    assert outcome([score(2), score(5)], ["r", "s"], references="mean").value.score == 3.5


def test_without_references_there_is_a_prompt_of_its_own():
    found = outcome([score(3)], None)
    assert found.replies[0].ask.prompt == "llamaindex/correctness.unreferenced"
    assert set(blocks_of(found.replies[0].ask.text)) == {"question", "answer"}


def test_an_item_whose_list_of_references_is_empty_is_missing():
    assert outcome([], []).status is Status.MISSING


def test_the_share_that_passes_is_a_measure():
    evaluator = LlamaIndexCorrectnessEvaluator(Judge([score(4), score(3), "none"] + ["none"] * MAX_ASKS))
    result = evaluator.run(["q", "p", "o"], ["a", "b", "c"], ["r", "s", "t"])["result"]
    assert [measure.name for measure in result.measures] == [
        "llama_index_correctness",
        "llama_index_correctness_passing",
    ]
    assert (result.score, result.value("llama_index_correctness_passing")) == (3.5, 0.5)
    assert result.measures[0].bounds == (1.0, 5.0)
    np.testing.assert_array_equal(result.item_scores("llama_index_correctness_passing"), [1, 0, np.nan])


@pytest.mark.parametrize("options", [{"threshold": "4"}, {"threshold": True}, {"references": "min"}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InputError):
        LlamaIndexCorrectnessEvaluator(**options)
