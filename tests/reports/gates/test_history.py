"""Earlier gates of a folder: looks at a baseline, reruns of a commit, margins spent from pin to pin."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from haystack import component

from answer_files import cli
from thresher import InputError, evaluate, list_runs, open_run
from thresher.metrics.items import Items, outputs
from thresher.reports.gates.history import averaged
from thresher.results import Measure, MetricResult, Signature

LOSS = ("--require", "no-regression within 0.05")
ONE, OTHER = "1" * 40, "2" * 40


@component
class Judge:
    """Scores answers with noise of its own, as a judge does."""

    noise = 0

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, predicted_answers: list[str]):
        rng = np.random.default_rng(Judge.noise)
        truth = np.array([float(answer) for answer in predicted_answers])
        flipped = rng.random(len(truth)) < 0.1
        measure = Measure(Signature.of("m", {"prompts": "abc"}), bounds=(0, 1))
        scores = {"score": np.where(flipped, 1 - truth, truth).tolist()}
        return outputs(Items(predicted_answers=predicted_answers).result([measure], scores))


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Evaluate answers with a rate, of a commit, with a judge of the day."""
    monkeypatch.chdir(tmp_path)
    Path(".git").mkdir()

    def run(name, rate=0.8, *, seed=1, noise=None, commit=ONE):
        Path(".git/HEAD").write_text(f"{commit}\n")
        monkeypatch.setattr(Judge, "noise", len(list(tmp_path.rglob("run.json"))) if noise is None else noise)
        right = np.random.default_rng(seed).random(200) < rate
        data = {
            "id": [f"q{item}" for item in range(200)],
            "predicted_answers": [str(int(one)) for one in right],
        }
        return evaluate([Judge()], data, name=name, out=tmp_path / "runs" / name)

    run("base", commit=OTHER)
    return run


def gate(capsys, name, *options, baseline="base", code=None):
    from thresher.cli.main import main

    words = ["gate", f"runs/{name}", "--baseline", f"runs/{baseline}", *LOSS, *options]
    found = main(words)
    assert code is None or found == code
    return capsys.readouterr().out


def records():
    return [json.loads(line) for line in Path("runs/gates.jsonl").read_text().splitlines()]


def test_looks_at_a_baseline_are_counted_with_their_price(made, capsys):
    for number in range(3):
        made(f"commit{number}", seed=number + 2, commit=str(number) * 40)
    assert "Look" not in gate(capsys, "commit0")
    assert "Look 2 at base" in gate(capsys, "commit1")
    shown = gate(capsys, "commit2")
    price = "about 1 unchanged commit in 40 is called worse, 6 a year at 250 commits"
    assert f"Look 3 at base: at 95 % {price}" in shown
    assert gate(capsys, "commit2") == shown  # the same look again
    assert len(records()) == 3
    assert "Look" not in gate(capsys, "commit2", "--no-record")
    assert [run.name for run in list_runs("runs").runs] == ["base", "commit0", "commit1", "commit2"]
    assert "skipped" not in cli(capsys, "leaderboard", "runs")


def test_false_alarms_a_year_set_the_level(made, capsys):
    made("commit", seed=2)
    shown = gate(capsys, "commit", "--false-alarms-per-year", "1", "--format", "json")
    assert json.loads(shown)["level"] == pytest.approx(0.992)
    shown = gate(capsys, "commit", "--false-alarms-per-year", "2", "--commits", "100", "--format", "json")
    assert json.loads(shown)["level"] == pytest.approx(0.96)
    for wrong in (("0",), ("70",), ("1", "--level", "0.9")):
        gate(capsys, "commit", "--false-alarms-per-year", *wrong, code=2)


def test_reruns_of_a_commit_are_averaged_and_not_replaced(made, capsys):
    tries = [made(f"try{number}", seed=2) for number in range(3)]
    other = made("other", seed=3, commit=OTHER)
    for number in range(2):
        gate(capsys, f"try{number}")
    gate(capsys, "other")
    shown = json.loads(gate(capsys, "try2", "--format", "json"))
    mean = np.mean([one.metric("m").value for one in tries])
    assert shown["decisions"][0]["value"] == pytest.approx(mean)
    assert shown["decisions"][0]["value"] != tries[2].metric("m").value
    assert "Item scores are averaged over 3 runs of one system." in shown["notes"]
    assert (shown["items"], shown["decisions"][0]["scored"]) == (200, 200)
    assert other.metric("m").value not in (mean, shown["decisions"][0]["value"])
    shutil.rmtree("runs/try0")
    made("try0", seed=2, noise=77)
    assert "Earlier runs of this commit are gone (try0)" in gate(capsys, "try2")


def test_tries_with_other_answers_are_named_and_averaged_on_request(made, capsys):
    tries = [made(f"try{number}", seed=number + 2) for number in range(2)]
    gate(capsys, "try0")
    assert "This commit was gated with other answers before (try0 " in gate(capsys, "try1")
    shown = json.loads(gate(capsys, "try1", "--rerun", "runs/try0", "--format", "json"))
    mean = np.mean([one.metric("m").value for one in tries])
    assert shown["decisions"][0]["value"] == pytest.approx(mean)
    gate(capsys, "try1", "--rerun", "runs/nothing", code=2)


def test_only_reruns_are_averaged(made):
    run, base = made("commit", seed=2), open_run("runs/base")
    average, notes = averaged(run, [base])
    assert average.metric("m").value == pytest.approx((run.metric("m").value + base.metric("m").value) / 2)
    assert list(average.primary) == list(run.primary)
    assert len(notes) == 1
    with pytest.raises(InputError, match="is no rerun of commit"):
        averaged(run, [base.take(range(100))])


def test_margins_spent_since_older_pins_add_up(made, capsys):
    made("v1", 0.85, noise=1)
    made("v2", 0.84, noise=1)
    made("v3", 0.83, noise=1)
    assert "spent" not in gate(capsys, "v2", baseline="v1")
    shown = gate(capsys, "v3", baseline="v2")
    values = {name: open_run(f"runs/{name}").metric("m").value for name in ("v1", "v2", "v3")}
    spent = values["v1"] - values["v3"]
    assert 0 < spent < 0.05
    assert f"m: {spent:.2g} of 0.05 spent since v1, over 2 pins." in shown
    made("v4", 0.7, noise=1)
    assert "spent since v1, over 3 pins; gate against v1 itself." in (
        gate(capsys, "v3", baseline="v2") + gate(capsys, "v4", baseline="v3")
    )


def test_damaged_lines_and_folders_that_cannot_be_written_do_no_harm(made, capsys):
    made("commit", seed=2)
    Path("runs/gates.jsonl").write_text('no JSON\n{"run": 1}\n[]\n')
    gate(capsys, "commit")
    assert len(Path("runs/gates.jsonl").read_text().splitlines()) == 4
    Path("runs/gates.jsonl").unlink()
    Path("runs/gates.jsonl").mkdir()
    gate(capsys, "commit")
    open_run("runs/commit").save("saved.json")
    main = cli(capsys, "gate", "saved.json", "--require", "m>=0.1")
    assert "passed" in main
    assert not Path("gates.jsonl").exists()
