"""`no-regression`: passes only where a loss is ruled out, and reads a difference as a comparison does."""

import numpy as np
import pytest

from thresher import EvaluationResults
from thresher.errors import InputError
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport


def run(scores, name="run", direction="higher", bounds=(0, 1), metric="ok"):
    column = {"name": metric, "scores": np.asarray(scores, float).tolist()}
    return EvaluationResults.from_dict(
        {
            "run": name,
            "inputs": {"id": [f"i{item}" for item in range(len(scores))]},
            "metrics": [{**column, "bounds": bounds, "direction": direction}],
        }
    )


def rates(rng, items, *of_systems):
    """0/1 scores of systems that answer 70 % of the items alike."""
    same, shared = rng.random(items) < 0.7, rng.random(items)
    return [(np.where(same, shared, rng.random(items)) < rate).astype(float) for rate in of_systems]


def decided(first, second, requirement="no-regression", direction="higher", **options):
    first, second = run(first, "main", direction), run(second, "new", direction)
    (decision,) = second.gate([requirement], baseline=first, **options).decisions
    return decision


@pytest.mark.simulation
@pytest.mark.parametrize("items", [12, 24, 50, 100])
def test_without_a_margin_a_real_loss_does_not_pass(items):
    rng = np.random.default_rng(77)
    outcomes = [decided(*rates(rng, items, 0.85, 0.75)).outcome for _ in range(60)]
    assert outcomes.count("passed") <= 1
    assert set(outcomes) <= {"passed", "failed", "inconclusive"}


def test_three_lost_and_one_won_are_inconclusive_with_the_items_that_would_decide():
    first = np.array([1.0] * 21 + [0.0] * 3)
    second = first.copy()
    second[:3], second[23] = 0, 1
    decision = decided(first, second)
    assert (decision.outcome.exit_code, decision.bar) == (4, 0.0)
    assert "neither a loss nor a gain against the baseline is shown; give the loss" in decision.sentence
    assert "needed to detect" not in decision.sentence, "four items that differ say nothing of that"


def test_a_gain_that_is_shown_passes_and_a_loss_that_is_shown_fails():
    rng = np.random.default_rng(1)
    low, high = rates(rng, 200, 0.5, 0.9)
    assert decided(low, high).outcome == "passed"
    assert decided(high, low).outcome == "failed"
    assert "the whole interval is at least the baseline" in decided(low, high).sentence


@pytest.mark.parametrize(
    ("direction", "change", "outcome"),
    [
        ("lower", 0.005, "passed"),  # hallucination that rises by 0.005 is within 0.02
        ("lower", -0.005, "passed"),
        ("lower", -0.05, "passed"),
        ("lower", 0.05, "failed"),
        ("higher", -0.005, "passed"),
        ("higher", 0.005, "passed"),
        ("higher", 0.05, "passed"),
        ("higher", -0.05, "failed"),
    ],
)
@pytest.mark.parametrize("given", ["within", "margin", "margins"])
def test_a_margin_lies_on_the_bad_side_whichever_direction_is_better(direction, change, outcome, given):
    rng = np.random.default_rng(9)
    first = rng.uniform(0.2, 0.8, 400)
    second = first + change + rng.normal(0, 0.01, 400)
    requirement = "no-regression within 0.02" if given == "within" else "no-regression"
    options = {"margin": {"margin": 0.02}, "margins": {"margins": {"ok": 0.02}}}.get(given, {})
    decision = decided(first, second, requirement, direction, **options)
    assert decision.outcome == outcome
    assert decision.bar == pytest.approx(-0.02 if direction == "higher" else 0.02)


def test_a_loss_that_is_shown_but_may_be_tolerable_is_inconclusive():
    rng = np.random.default_rng(4)
    first = rng.uniform(0.3, 0.8, 60)
    second = first - 0.08 + rng.normal(0, 0.04, 60)
    margin = 0.08
    decision = decided(first, second, f"no-regression within {margin}")
    assert decision.interval.high < 0
    assert decision.outcome == "inconclusive"
    assert "a loss is shown, but not that it is larger than the tolerated 0.08" in decision.sentence


@pytest.mark.simulation
@pytest.mark.parametrize("requirement", ["no-regression within 0.05", "ok>=baseline-0.05"])
def test_a_loss_of_just_the_margin_passes_seldom_and_none_passes_often(requirement):
    rng = np.random.default_rng(6)
    passed = {0.80: 0, 0.85: 0}
    for rate in passed:
        for _ in range(250):
            passed[rate] += decided(*rates(rng, 400, 0.85, rate), requirement).outcome == "passed"
    assert passed[0.80] / 250 <= 0.05 + 0.02  # 5 % and its sampling error; 2.5 % are expected
    assert passed[0.85] / 250 >= 0.75


@pytest.mark.parametrize("items", [12, 50, 200])
@pytest.mark.parametrize("rate", [0.75, 0.85, 0.95])
def test_a_gate_and_a_comparison_read_the_same_pair_alike(items, rate):
    rng = np.random.default_rng(items)
    words = {"better": "passed", "worse": "failed", "unchanged": "passed"}
    for _ in range(25):
        first, second = (
            run(scores, name) for scores, name in zip(rates(rng, items, 0.85, rate), "ab", strict=True)
        )
        (row,) = ComparisonReport([first, second]).rows
        (decision,) = second.gate(["no-regression"], baseline=first).decisions
        assert decision.outcome == words.get(row.verdict, "inconclusive"), "only what is shown decides"
        (within,) = ComparisonReport([first, second], Analysis(margin=0.1)).rows
        (tolerant,) = second.gate(["no-regression"], baseline=first, margin=0.1).decisions
        if within.verdict == "worse":
            assert tolerant.outcome != "passed"
        if within.verdict == "better":
            assert tolerant.outcome == "passed"
        if within.verdict == "equivalent":
            assert (
                tolerant.outcome == "passed" or "which is `equivalent` in a comparison" in tolerant.sentence
            )


def test_an_unchanged_run_without_a_margin_is_inconclusive_and_within_one_passes():
    scores = [1.0, 0.0] * 100
    assert decided(scores, scores).outcome == "inconclusive"
    assert decided(scores, scores, "no-regression within 0.05").outcome == "passed"
    assert decided(scores, scores, "no-regression within 0").outcome == "inconclusive"


def test_within_wins_over_a_margin_for_all_and_unused_margins_are_refused():
    scores = [1.0, 0.0] * 50
    first = run(scores, "main")
    gate = run(scores).gate(["no-regression within 0.5", "no-regression"], baseline=first, margin=0.1)
    assert [decision.bar for decision in gate.decisions] == [-0.5, -0.1]
    with pytest.raises(InputError, match="no requirement is `no-regression` without `within`"):
        run(scores).gate(["no-regression within 0.5"], baseline=first, margin=0.1)
    with pytest.raises(InputError, match="margin for 'okay': no run has that metric"):
        run(scores).gate(["no-regression"], baseline=first, margins={"okay": 0.1})


def test_by_value_any_loss_fails_and_a_margin_is_respected():
    first, second = [1.0] * 10, [1.0] * 9 + [0.0]
    assert decided(first, second, decide_by="value").outcome == "failed"
    assert decided(first, second, "no-regression within 0.2", decide_by="value").outcome == "passed"


def test_what_was_not_scored_in_both_runs_is_said():
    first, second = run([1.0, 0.0] * 5, "main"), run([1.0, 0.0] * 5, "new")
    unscored = EvaluationResults.from_dict(
        {
            "run": "new",
            "inputs": {"id": [f"i{item}" for item in range(10)]},
            "metrics": [{"name": "ok", "scores": [None] * 10, "bounds": [0, 1]}],
        }
    )
    gate = unscored.gate(["no-regression"], baseline=first)
    assert (gate.exit_code, gate.decisions[0].sentence) == (
        3,
        "ok: ok is not compared: new has no scored item.",
    )
    gate = second.gate(["no-regression"], baseline=run([1, 0] * 5, "main", metric="other"))
    assert gate.exit_code == 3
    assert "run and baseline have no metric in common" in gate.decisions[0].sentence


def test_an_interval_that_ends_at_zero_shows_neither_a_loss_nor_a_gain():
    same = [3.25, 7.5, 1.125] * 4
    (decision,) = (
        run(same, bounds=None).gate(["ok>=baseline"], baseline=run(same, "main", bounds=None)).decisions
    )
    assert (decision.interval, decision.outcome) == (None, "inconclusive"), "equal scores without bounds"
    gains = [0.01] * 5 + [0.0] * 3
    few = run([0.5 + gain for gain in gains], bounds=None)
    (decision,) = few.gate(["no-regression"], baseline=run([0.5] * 8, "main", bounds=None)).decisions
    (row,) = ComparisonReport([run([0.5] * 8, "main", bounds=None), few]).rows
    assert (decision.outcome, row.verdict) == ("inconclusive", "inconclusive")


def test_items_needed_are_stated_for_the_baseline_and_a_margin_below_it_only():
    rng = np.random.default_rng(3)
    first, second = rates(rng, 300, 0.8, 0.82)
    for requirement, message in (
        ("ok>=baseline", "items in all are needed to detect a difference of 0.02."),
        ("ok>=baseline-0.01", "items in all are needed to detect a difference of 0.01."),
        (
            "no-regression",
            "items in all are needed to detect a difference of 0.02; give the loss that you accept",
        ),
    ):
        assert message in decided(first, second, requirement).sentence
    assert "needed to detect" not in decided(first, second, "ok>=baseline+0.05").sentence


@pytest.mark.parametrize(("operator", "losses"), [(">=", "larger than 0.02"), (">", "of 0.02 or more")])
def test_an_inconclusive_interval_names_the_losses_that_it_contains(operator, losses):
    scores = [1.0, 0.0] * 50
    sentence = decided(scores, scores[::-1], f"ok{operator}baseline-0.02").sentence
    assert f"the interval also contains losses {losses}" in sentence


def test_items_that_hardly_differ_pass_once_there_are_enough_of_them():
    rng = np.random.default_rng(4)
    first = 0.5 + rng.random(200) / 2
    second = np.clip(first + rng.normal(0, 0.01, 200), 0, 1)
    few = decided(first[:20], second[:20], "no-regression within 0.05")
    assert np.abs(second[:20] - first[:20]).max() < 0.05
    assert few.outcome.exit_code == 4, "a loss of everything on one item in 20 would be more than 0.05"
    assert "the interval also contains losses larger than 0.05" in few.sentence
    assert "usually detect" not in few.sentence
    assert decided(first, second, "no-regression within 0.05").outcome == "passed"
    gained = np.clip(first[:20] + 0.3, 0, 1)
    assert decided(first[:20] / 2, gained, "no-regression within 0.05").outcome == "passed"
