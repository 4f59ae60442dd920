"""How many items a comparison needs, before it is run."""

import json
from pathlib import Path

import numpy as np
import pytest

from answer_files import cli
from thresher import EvaluationResults, InputError, plan
from thresher.kernels.inference import Target, compare
from thresher.kernels.inference.sample_sizes import SampleSize, rate_variance
from thresher.kernels.inference.verdict_sentence import sample_size, undone
from thresher.results import recorded_result

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/inference/rest.json").read_text())["cases"]["plan"]


def answers(rng, items, rates=(0.8, 0.85), same=0.7):
    """0/1 scores of two systems that answer a share of the items alike."""
    alike, shared = rng.random(items) < same, rng.random(items)
    return [(np.where(alike, shared, rng.random(items)) < rate).astype(float) for rate in rates]


def run(scores, name="run", bounds=(0, 1), **provenance):
    result = recorded_result("m", np.asarray(scores, float).tolist(), bounds=bounds)
    return EvaluationResults({"id": list(range(len(scores)))}, [result], name=name, provenance=provenance)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: str(case["sd"]))
def test_a_known_spread_gives_the_golden_numbers(case):
    size = plan(case["difference"], sd=case["sd"], reach=case["reach"]).size
    assert (size.low, size.high, size.floor) == (case["items"], case["items"], case["floor"])


def test_rates_vary_as_those_of_simulated_systems():
    first, second = answers(np.random.default_rng(1), 10**6)
    assert rate_variance(0.8, 0.05, 0.7) == pytest.approx((second - first).var(), rel=0.01)
    assert plan(0.05, rates=0.8, same=0.7).size.high == 376
    assert "answer 70 % of the items alike" in plan(0.05, rates=0.8, same=0.7).notes[0]
    assert plan(0.05, rates=0.8).size.high > 800


def test_a_pilot_gives_a_range_that_holds_the_number_in_four_of_five_pilots():
    inside, rng = [], np.random.default_rng(7)
    for _ in range(150):
        first, second = answers(rng, 100)
        size = plan(0.05, pilot=[run(first), run(second)]).size
        inside.append((size.low or 0) <= 376 <= size.high)
    assert 0.7 < np.mean(inside) < 0.92


def test_ten_differing_items_are_the_least_for_a_lower_end_and_for_a_sentence():
    before = np.array([0.0, 1.0] * 50)
    for differing, low in ((9, None), (10, 233)):
        after = before.copy()
        after[:differing] = 1 - after[:differing]
        planned = plan(0.05, pilot=[run(before), run(after)])
        assert (planned.size.low is None) == (low is None)
        assert ("at least 60 and at most about" in planned.sentence) == (low is None)
        found = compare(*(Target(one.results[0], "m") for one in (run(before), run(after))))
        assert (sample_size(found) == "") == (low is None)
        assert (found.to_dict()["items_needed"] is None) == (low is None)


def test_what_would_undo_a_likely_difference_has_a_range_too():
    rng = np.random.default_rng(3)
    first = rng.uniform(0.3, 0.6, 40)
    gains = [rng.normal(0.05, 0.1, 40), np.where(np.arange(40) < 9, 0.1, 0)]
    many, few = (compare(*(Target(run(x).results[0], "m") for x in (first, first + gain))) for gain in gains)
    assert (many.verdict, few.verdict) == ("likely better", "likely better")
    low, high = many.excluding_units
    assert low < 3 / many.difference < high
    assert "would exclude that" in undone(many)
    assert "would exclude that" not in undone(few)


def test_clusters_are_counted_and_without_bounds_there_is_no_floor():
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(20), 5)
    gains = rng.normal(0, 0.3, 20)[clusters] + rng.normal(0, 0.05, 100)
    runs = [
        EvaluationResults({"id": range(100), "doc": clusters.tolist()}, run(scores, bounds=None).results)
        for scores in (np.zeros(100), gains)
    ]
    planned = plan(0.1, pilot=runs, cluster="doc")
    assert planned.unit == "cluster"
    assert planned.size.floor == 2
    assert planned.size.low < 20 * (2.8016 * compare_error(runs, clusters) / 0.1) ** 2 < planned.size.high


def compare_error(runs, clusters):
    return compare(*(Target(one.results[0], "m") for one in runs), clusters=clusters.tolist()).standard_error


def test_a_pilot_that_called_a_judge_says_what_an_item_takes():
    usage = [{"calls": 140, "known": 10, "cost": 0.28}, {"calls": 0, "known": 150, "cost": None}]
    first, second = answers(np.random.default_rng(5), 100)
    planned = plan(0.05, pilot=[run(first), run(second, asking=usage)])
    assert planned.sentence.endswith("; 3 judge calls each.")
    row = planned.table()[0]
    assert (row["calls"], row["cost"]) == (1164, pytest.approx(2.328)), "3 calls an item at .002"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "give one of pilot="),
        ({"sd": 0.1, "rates": 0.5}, "not 2"),
        ({"sd": -1}, "sd=-1 must be above 0"),
        ({"sd": 0.1, "difference": 0}, "difference=0 must be above 0"),
        ({"sd": 0.1, "difference": 1}, "below 1"),
        ({"sd": 0.1, "power": 1}, "power=1 must be above 0 and below 1"),
        ({"rates": 0.97}, "rate of at most 1 - difference"),
        ({"rates": 0.5, "same": 1.5}, "share of"),
        ({"pilot": [run([0, 1])]}, "not 1 run"),
        ({"pilot": [run([0, 1]), run([0, 1])]}, "shows no spread"),
    ],
)
def test_what_cannot_be_planned_is_said(options, problem):
    with pytest.raises(InputError, match=problem):
        plan(**{"difference": 0.05, **options})


def test_the_command_says_it_in_a_sentence_and_in_json(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, scores in zip("ab", answers(np.random.default_rng(5), 200), strict=True):
        run(scores, name).save(f"{name}.json")
    shown = cli(capsys, "plan", "--difference", "0.05", "--pilot", "a.json", "b.json")
    assert "To show a difference of 0.05 you need " in shown
    data = json.loads(
        cli(capsys, "plan", "--difference", "0.05", "--pilot", "a.json", "b.json", "--format", "json")
    )
    assert data["floor"] == 60 < data["low"] < data["high"]
    text = [{"id": "1", "questions": "q", "contexts": ["c"], "predicted_answers": "One. Two."}]
    Path("some.jsonl").write_text("\n".join(map(json.dumps, text)))
    recipe = ("--recipe", "valor_faithfulness", "--data", "some.jsonl", "--price", "in=1,out=1")
    shown = cli(capsys, "plan", "--difference", "0.05", "--sd", "0.3", *recipe)
    assert "283 items in all; 2 judge calls each" in shown
    assert "cost" in shown
    for wrong in (("--recipe", "valor_faithfulness"), ("--range", "0"), ("--data", "some.jsonl")):
        cli(capsys, "plan", "--difference", "0.05", "--sd", "0.3", *wrong, code=2)
    assert SampleSize.of(0.3, (1600.0, 1600.0), float("inf")).floor == 2
