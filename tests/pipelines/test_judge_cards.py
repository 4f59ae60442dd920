import pytest

import thresher
from thresher.components import ValorFaithfulnessEvaluator
from thresher.errors import InputError
from thresher.judges import judge_named
from thresher.pipelines.judge_cards import checked_cards
from thresher.reports.evaluation_results import EvaluationResults

METRIC = [{"name": "agreement", "scores": [1.0, 1.0, 0.0], "bounds": [0, 1]}]


def card_of(judge, **settings):
    about = {"model": judge.model, "settings": {**judge.generation_kwargs, **settings}}
    return EvaluationResults({"inputs": {}, "metrics": METRIC}, name="snapshot", provenance={"judge": about})


def judged_by(judge):
    return thresher.build([ValorFaithfulnessEvaluator(judge)])


def test_a_card_of_the_judge_is_accepted_with_its_measures():
    judge = judge_named("a")
    (entry,) = checked_cards([card_of(judge)], judged_by(judge))
    assert (entry["name"], entry["judge"]["model"]) == ("snapshot", "a")
    measure = entry["measures"]["agreement"]
    assert (measure["value"], measure["items"]) == (pytest.approx(2 / 3), 3)
    assert 0 < measure["low"] < measure["value"] < measure["high"] < 1


def test_each_judge_of_a_panel_may_have_a_card():
    panel = [judge_named("a"), judge_named("b")]
    entries = checked_cards([card_of(judge) for judge in panel], judged_by(panel))
    assert [entry["judge"]["model"] for entry in entries] == ["a", "b"]


def test_a_card_of_another_judge_or_of_other_settings_is_refused():
    judge = judge_named("a")
    with pytest.raises(InputError, match=r"the card is of the judge b \(.*the judges of this run are: a \("):
        checked_cards([card_of(judge_named("b"))], judged_by(judge))
    with pytest.raises(InputError, match="seed=7"):
        checked_cards([card_of(judge, seed=7)], judged_by(judge))


def test_one_card_instead_of_a_list_is_refused():
    with pytest.raises(InputError, match="judge_cards is one card; give a list of cards"):
        checked_cards("card.json", judged_by(judge_named("a")))


def test_a_run_without_judges_takes_no_card():
    with pytest.raises(InputError, match="the judges of this run are: none"):
        checked_cards([card_of(judge_named("a"))], thresher.build(["token_f1"]))


@pytest.mark.parametrize("about", [None, "a", {"model": "a"}, {"model": 1, "settings": {}}, {"settings": {}}])
def test_a_run_that_describes_no_judge_is_not_a_card(about):
    run = EvaluationResults({"inputs": {}, "metrics": METRIC}, name="run", provenance={"judge": about})
    with pytest.raises(InputError, match="run is not a judge's card; write one with thresher probe --out"):
        checked_cards([run], judged_by(judge_named("a")))
