import json

import numpy as np
import pytest

from thresher import EvaluationResults, InputError, save_run
from thresher.cli import main


def run_of(seed=3, items=400, worse=0.5, **changes):
    """German hard items are answered worse."""
    rng = np.random.default_rng(seed)
    columns = {
        "id": [f"q{item}" for item in range(items)],
        "question": [f"What is {item}?" for item in range(items)],
        "language": rng.choice(["de", "en", "fr"], items).tolist(),
        "level": rng.choice(["easy", "hard"], items).tolist(),
        "length": rng.integers(1, 1000, items).tolist(),
        "tags": [[str(tag)] for tag in rng.integers(0, 4, items)],
        **changes,
    }
    weak = (np.array(columns["language"]) == "de") & (np.array(columns["level"]) == "hard")
    scores = (rng.random(items) < np.where(weak, worse, 0.9)).astype(float)
    metrics = [
        {"name": "correct", "scores": scores.tolist(), "bounds": [0, 1]},
        {"name": "cost", "scores": rng.gamma(2, 1, items).tolist(), "direction": "lower", "primary": False},
    ]
    return EvaluationResults.from_dict({"inputs": columns, "metrics": metrics}, name="a"), weak, scores


def test_the_weak_pair_is_a_candidate_and_nothing_within_or_around_it():
    run, weak, scores = run_of()
    table = run.find_slices()
    found = table[0]
    assert not {"language = de", "level = hard"} & set(table["slice"])
    assert (found["metric"], found["slice"]) == ("correct", "language = de and level = hard")
    assert (found["value"], found["rest"]) == (scores[weak].mean(), scores[~weak].mean())
    assert found["difference"] == pytest.approx(found["value"] - found["rest"])
    assert (found["items"], found["p_adjusted"]) == (weak.sum(), pytest.approx(1 / 1001))
    assert table.notes == ("Not searched, since they make no slices or too many: question.",)
    text = run.find_slices((), "markdown")
    assert "candidate; confirm on other items" in text
    assert "Where nothing is worse, 5 % of such searches list a candidate." in text
    data = json.loads(run.find_slices((), "json"))
    assert data["candidates"][0]["p_adjusted"] == found["p_adjusted"]
    assert data["tests"]["made"] > 50


def test_the_direction_of_the_measure_counts():
    run, _, scores = run_of()
    metrics = [{"name": "errors", "scores": (1 - scores).tolist(), "bounds": [0, 1], "direction": "lower"}]
    other = EvaluationResults.from_dict({"inputs": dict(run.inputs), "metrics": metrics})
    assert other.find_slices()[0]["slice"] == "language = de and level = hard"
    metrics[0]["direction"] = "higher"
    best = EvaluationResults.from_dict({"inputs": dict(run.inputs), "metrics": metrics}).find_slices()
    assert "language = de and level = hard" not in best["slice"]


def test_columns_can_be_named_and_few_items_make_no_condition():
    run = run_of(worse=0.9)[0]
    table = run.find_slices("tags")
    assert len(table) == 0
    searched = "4 conditions with at least 15 items inside and outside (tags)"
    assert table.reading == (
        f"No candidate: none of {searched} is shown to be worse; that is no proof that none is.",
    )
    own = run.find_slices(["correct", "cost"], metrics=["cost", "correct"])
    assert not {("correct", "correct = 0"), ("cost", "cost = 0")} & set(
        zip(own["metric"], own["slice"], strict=True)
    )
    few = run_of(items=28)[0].find_slices(["language", "level"])
    assert few.reading[0].startswith("No candidate: none of 0 conditions")
    with pytest.raises(InputError, match="no column 'land' to slice by"):
        run.find_slices(["land"])
    with pytest.raises(InputError, match="`question` has 400 different entries"):
        run.find_slices("question")
    only = EvaluationResults.from_dict({"inputs": {"id": ["a"]}, "metrics": [{"name": "m", "scores": [1]}]})
    with pytest.raises(InputError, match="no column to search for slices"):
        only.find_slices()


def test_items_without_a_score_and_clusters():
    run, weak, scores = run_of(cluster=[item // 4 for item in range(400)])
    metrics = [{"name": "m", "scores": [None, *scores[1:].tolist()], "bounds": [0, 1]}]
    part = EvaluationResults.from_dict({"inputs": dict(run.inputs), "metrics": metrics})
    table = part.find_slices(["language", "level"])
    assert table[0]["items"] == weak[1:].sum()
    assert any("100 clusters count" in note for note in table.notes)


def test_too_many_conditions_are_refused_before_they_are_computed(monkeypatch):
    monkeypatch.setattr("thresher.reports.slices.slice_search.CELLS_OF_SEARCH", 10_000)
    with pytest.raises(
        InputError, match="conditions on 400 items are too many to search: name fewer columns than"
    ):
        run_of()[0].find_slices()


def test_the_command_searches(tmp_path, capsys):
    run = str(tmp_path / "run")
    save_run(run_of()[0], run)
    assert main(["report", run, "--find-slices"]) == 0
    assert "language = de and level = hard" in capsys.readouterr().out
    assert (
        main(["report", run, "--find-slices", "language", "level", "--metric", "cost", "--format", "json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out)["candidates"] == []
    assert main(["report", run, "--find-slices", "--slice", "language"]) == 2
    assert "remove one of them" in capsys.readouterr().err
