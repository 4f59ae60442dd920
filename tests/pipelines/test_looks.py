"""Planned looks: a run ends when its comparison is decided; without a plan an unfinished run gives no verdict."""

import hashlib
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from haystack import Pipeline, component

from answer_files import cli
from thresher import (
    InputError,
    Looks,
    RunDirectoryError,
    evaluate,
    experiment,
    leaderboard,
    open_run,
    verify_run,
)
from thresher.kernels.inference.looks import look_level
from thresher.metrics.items import Items, outputs
from thresher.reports.slices.slice_report import SliceReport
from thresher.results import Measure, MetricResult, Signature

ENDS = tuple(range(25, 401, 25))
LOSS = "no-regression within 0.05"


@component
class Scores:
    """The score of each item, as its answer states it; writes down how many were scored."""

    def __init__(self, log: str):
        self.log = log

    parts_left = 1000

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, predicted_answers: list[str]):
        if len(predicted_answers):
            Scores.parts_left -= 1
            if Scores.parts_left < 0:
                raise KeyboardInterrupt
            with Path(self.log).open("a") as log:
                log.write(f"{len(predicted_answers)}\n")
        measure = Measure(Signature.of("m", {}), bounds=(0, 1))
        scores = {"score": [float(answer) for answer in predicted_answers]}
        return outputs(Items(predicted_answers=predicted_answers).result([measure], scores))


def answers(rate, items=400, seed=1):
    """Answers that are 0 or 1, 70 % of them alike for all rates; those of the lowest ids are right."""
    rng = np.random.default_rng(seed)
    alike, shared = rng.random(items) < 0.7, rng.random(items)
    own = np.random.default_rng(int(rate * 1000)).random(items)
    scores = np.where(alike, shared, own) < rate
    return {"id": [f"q{item}" for item in range(items)], "predicted_answers": [str(int(s)) for s in scores]}


@pytest.fixture
def run(tmp_path):
    def evaluated(name, rate, looks=None, margin=0.05, **options):
        plan = None if looks is None else Looks(looks, tmp_path / "base", margin)
        data = options.pop("data", answers(rate))
        metrics = [Scores(str(tmp_path / name) + ".log")]
        return evaluate(metrics, data, name=name, out=tmp_path / name, looks=plan, **options)

    evaluated("base", 0.85)
    return evaluated


def scored(tmp_path, name):
    """How many items were scored."""
    return sum(map(int, (tmp_path / f"{name}.log").read_text().split()))


def test_levels_are_those_of_o_brien_and_fleming():
    constants = {2: 1.9774, 5: 2.0400, 10: 2.0867}  # Jennison and Turnbull (1999), table 2.3
    for looks, constant in constants.items():
        level = look_level(0.95, tuple(range(1, looks + 1)), looks)
        assert level == pytest.approx(1 - 2 * normal_tail(constant), abs=2e-5)
    levels = [1 - look_level(0.95, ENDS, look) for look in range(1, 17)]
    assert np.all(np.diff(levels) > 0)
    assert levels[4] == pytest.approx(0.000156, abs=2e-6)
    assert levels[-1] == pytest.approx(0.0345, abs=1e-4)


def normal_tail(at):
    from scipy.special import ndtr

    return float(ndtr(-at))


def test_all_looks_together_err_as_seldom_as_one():
    """Also with looks at unequal distances, and another level."""
    rng = np.random.default_rng(3)
    for level, ends in ((0.95, ENDS), (0.9, (10, 100, 150, 400))):
        steps = np.diff([0, *ends])
        means = np.cumsum(rng.normal(size=(20_000, len(ends))) * np.sqrt(steps), 1) / np.sqrt(ends)
        p_values = 2 * np.vectorize(normal_tail)(np.abs(means[:4000]))
        errors = [1 - look_level(level, ends, look) for look in range(1, len(ends) + 1)]
        assert np.mean((p_values <= errors).any(1)) == pytest.approx(1 - level, abs=0.015)


def test_a_loss_ends_the_run_early_with_a_complete_state(run, tmp_path, capsys):
    results = run("bad", 0.6, looks=16)
    assert results.complete
    assert len(results) == scored(tmp_path, "bad") < 200
    again = run("bad", 0.6, looks=16)
    assert (len(again), scored(tmp_path, "bad")) == (len(results), len(results))
    stored = open_run(tmp_path / "bad")
    assert verify_run(tmp_path / "bad").whole
    look = len(results) // 25
    level = look_level(0.95, ENDS, look)
    assert stored.report().level == level
    report = open_run(tmp_path / "base").compare(stored)
    assert (report.level, report.rows[0].verdict) == (level, "worse")
    said = f"Stopped at look {look} of 16 at the comparison with base: m: worse by"
    assert said in " ".join(report.notes)
    assert f"{400 - len(results)} of 400 items were not evaluated" in " ".join(report.notes)
    gate = stored.gate(["no-regression"], baseline=open_run(tmp_path / "base"))
    assert (gate.outcome.value, gate.level) == ("failed", level)
    assert f"Intervals have a level of {100 * level:.6g} %." in gate.remarks
    assert leaderboard([open_run(tmp_path / "base"), stored]).data()["level"] == level
    assert "complete" in cli(capsys, "runs", tmp_path)


def test_an_unchanged_system_passes_early_and_an_open_one_gets_the_last_level(run, tmp_path):
    same = run("same", 0.85, looks=16, data=answers(0.85))
    assert same.gate([LOSS], baseline=open_run(tmp_path / "base")).passed
    assert len(same) < 400
    open_ended = run("open", 0.82, looks=16, margin=0.02)
    assert len(open_ended) == 400
    assert open_ended.report().level == look_level(0.95, ENDS, 16)
    assert "Stopped" not in " ".join(open_ended.report().notes)
    assert "This is look 16 of 16" in " ".join(open_ended.report().notes)


def test_the_order_of_the_data_does_not_matter(run):
    sorted_by_answer = answers(0.85)
    order = np.argsort(sorted_by_answer["predicted_answers"])[::-1]
    data = {name: [column[place] for place in order] for name, column in sorted_by_answer.items()}
    first = run("sorted", 0.85, looks=16, data=data)
    assert list(first.ids) == list(run("given", 0.85, looks=16, data=sorted_by_answer).ids)
    assert 0.7 < first.metric("m").value < 0.95


def test_an_interrupted_run_with_a_plan_goes_on_and_has_verdicts_at_its_look(run, tmp_path, monkeypatch):
    monkeypatch.setattr(Scores, "parts_left", 3)
    with pytest.raises(KeyboardInterrupt):
        run("part", 0.84, looks=16, margin=None)
    monkeypatch.undo()
    part, base = open_run(tmp_path / "part"), open_run(tmp_path / "base")
    assert (part.complete, len(part)) == (False, 75)
    assert base.compare(part).rows[0].verdict == "inconclusive"
    assert base.compare(part).level == look_level(0.95, ENDS, 3)
    assert part.gate([LOSS], baseline=base).exit_code == 4
    whole = run("part", 0.84, looks=16, margin=None)
    assert (whole.complete, len(whole), scored(tmp_path, "part")) == (True, 400, 400)


def test_an_unfinished_run_without_a_plan_has_no_verdict(run, tmp_path, capsys):
    with warnings.catch_warnings(action="ignore"):
        part = run("part", 0.5, chunk_size=100, shard=(1, 2))
    base = open_run(tmp_path / "base")
    (row,) = base.compare(part, verdicts="always").rows
    assert (row.verdict, row.withheld, len(part)) == (None, "unfinished", 200)
    assert "no verdict, because a run is unfinished, and looks" in row.sentence
    for allowed in (0, "60%"):
        gate = part.gate([LOSS, "m>=0.9"], baseline=base, allow_missing=allowed)
        assert [decision.outcome.value for decision in gate.decisions] == ["could not be decided"] * 2
        assert "or plan looks at its parts with --looks" in gate.decisions[0].sentence
    assert base.gate([LOSS], baseline=part).exit_code == 3
    board = leaderboard([base, part])
    assert [entry.may_be_best for entry in board.entries] == [True, True]
    assert board.data()["runs"][1]["difference"]["verdict"] is None
    assert "No difference is shown, because a run is unfinished" in board.reading[0]
    slices = SliceReport(part, "predicted_answers")
    assert slices.tests == 0
    assert slices.reading[0].startswith("No slice is tested, because a run is unfinished")
    assert "unfinished" in cli(capsys, "compare", tmp_path / "base", tmp_path / "part")
    cli(capsys, "gate", tmp_path / "part", "--baseline", tmp_path / "base", "--require", LOSS, code=3)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"looks": 1}, "plan 2 to 100 looks"),
        ({"looks": 8, "chunk_size": 10}, "remove chunk_size, shard"),
        ({"looks": 8, "workers": 2}, "remove chunk_size, shard"),
        ({"looks": 8, "margin": 1}, "as large as the range of m"),
        ({"looks": 8, "data": {"id": ["other"], "predicted_answers": ["1"]}}, "no items in common"),
    ],
)
def test_plans_that_cannot_be_followed_are_refused(run, options, problem):
    with pytest.raises(InputError, match=problem):
        run("new", 0.85, **options)


def test_a_run_keeps_its_plan(run):
    run("bad", 0.6, looks=16)
    with pytest.raises(RunDirectoryError, match="another plan of looks"):
        run("bad", 0.6, looks=8)
    with pytest.raises(RunDirectoryError, match="another plan of looks"):
        run("bad", 0.6)


def test_looks_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, rate in (("base", 0.85), ("bad", 0.5)):
        columns = answers(rate)
        rows = [
            {"id": key, "predicted_answers": answer, "ground_truth_answers": "1"}
            for key, answer in zip(*columns.values(), strict=True)
        ]
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    cli(capsys, "run", "exact_match", "--data", "base.jsonl")
    plan = ("--looks", "16", "--baseline", "runs/base")
    shown = cli(capsys, "run", "exact_match", "--data", "bad.jsonl", *plan, "--margin", "0.05")
    assert "Stopped at look " in shown
    for wrong in (plan[:2], plan[2:], ("--margin", "0.1"), (*plan, "--shard", "1/2")):
        cli(capsys, "run", "exact_match", "--data", "bad.jsonl", "--name", "new", *wrong, code=2)


@component
class Answerer:
    """Answers a share of the questions rightly, most of them the same for all shares."""

    def __init__(self, right: float, log: str = ""):
        self.right, self.log = right, log

    @component.output_types(answer=str)
    def run(self, query: str):
        with Path(self.log).open("a") as log:
            log.write(f"{self.right} {query}\n")
        place = int(hashlib.sha256(query.encode()).hexdigest()[:8], 16) / 2**32
        return {"answer": "yes" if place < self.right else "no"}


def test_an_experiment_with_two_configurations_ends_when_they_are_compared(tmp_path):
    questions = {
        "id": [f"q{item}" for item in range(120)],
        "question": [f"Is it {item}?" for item in range(120)],
    }
    questions["answer"] = ["yes"] * 120
    log = tmp_path / "asked"

    def make(right):
        pipeline = Pipeline()
        pipeline.add_component("answerer", Answerer(right, str(log)))
        return pipeline

    options = {"vary": {"right": [0.9, 0.5]}, "metrics": "exact_match", "out": tmp_path / "out", "looks": 12}
    result = experiment(make, questions, **options)
    lines = log.read_text().splitlines()
    assert result.complete
    sizes = {len(each) for each in result.values()}
    assert len(sizes) == 1
    assert sizes.pop() * 2 == len(lines) < 120
    first, second = result.values()
    assert list(first.ids) == list(second.ids)
    assert first.compare(second).rows[0].verdict == "worse"
    assert result.best == [result.names[0]]
    assert "Stopped at look" in str(result)
    experiment(make, questions, **options)
    assert log.read_text().splitlines() == lines
    with pytest.raises(InputError, match="two configurations are compared, not 3"):
        experiment(make, questions, **options | {"vary": {"right": [0.9, 0.5, 0.1]}})
    for wrong in ({"repeats": 2}, {"looks": None, "margin": 0.1}):
        with pytest.raises(InputError, match="looks"):
            experiment(make, questions, **options | wrong)
