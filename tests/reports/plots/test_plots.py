import builtins
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from thresher import EvaluationResults, metric_class
from thresher.errors import InputError, MissingDependencyError
from thresher.kernels.inference import Target, estimate


def results(name="main", seed=0, cost=True):
    rng = np.random.default_rng(seed)
    inputs = {
        "id": [f"q{item}" for item in range(80)],
        "language": ["de", "en"] * 40,
        "good": [bool(item % 3) for item in range(80)],
    }
    metrics = [
        {"name": "quality", "scores": rng.random(80).tolist(), "bounds": [0, 1]},
        {"name": "hit", "scores": rng.integers(0, 2, 80).tolist(), "bounds": [0, 1]},
        *([{"name": "cost", "scores": (9 * rng.random(80)).tolist(), "direction": "lower"}] if cost else []),
        {"name": "none", "scores": [None] * 80, "bounds": [0, 5]},
    ]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name)


@pytest.fixture
def run():
    return results()


@pytest.fixture
def classified():
    rng = np.random.default_rng(1)
    truths = rng.choice(["cat", "dog", "$cow$"], 90).tolist()
    scores = [
        {
            label: float(score)
            for label, score in zip(["cat", "dog", "$cow$"], rng.dirichlet([1, 1, 1]), strict=True)
        }
        for _ in truths
    ]
    names = (
        "classification_precision_recall_curve",
        "classification_calibration_error",
        "classification_confusion_matrix",
    )
    made = [metric_class(name)().run(ground_truths=truths, predictions=scores)["result"] for name in names]
    return EvaluationResults({}, made)


def texts(axes):
    return [text.get_text() for text in axes.texts]


def rows(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def drawn(axes, tmp_path):
    axes.figure.savefig(tmp_path / "figure.png")
    return (tmp_path / "figure.png").stat().st_size > 3000


def test_intervals_are_those_of_the_report(run, tmp_path):
    axes = run.plot.intervals()
    assert rows(axes) == ["Quality", "Hit"]
    expected = estimate(Target(run.metrics["hit"].result, "hit")).interval
    lines = [line.get_xdata() for line in axes.lines]
    assert any(list(line) == [expected.low, expected.high] for line in lines)
    assert "(not drawn: 2 on other scales)" in axes.get_title("left")
    assert drawn(axes, tmp_path)
    assert rows(run.plot.intervals(["cost"])) == ["Cost"]


def test_a_comparison_tells_verdicts_by_mark_word_and_colour(run, tmp_path):
    better = run.to_dict()
    better["metrics"][0]["scores"] = [min(1, score + 0.2) for score in better["metrics"][0]["scores"]]
    other = EvaluationResults.from_dict({**better, "run": "other"})
    axes = run.plot.comparison(other, ["quality", "hit"], margins={"hit": 0.1})
    assert rows(axes) == ["Quality ↑", "Hit ↑"]
    assert [text.split(" ")[0] for text in texts(axes)] == ["better", "equivalent"]
    markers = [line.get_marker() for line in axes.lines if line.get_marker() != "None"]
    assert markers == ["^", "s"]
    assert axes.get_title("left") == "other minus main"
    assert drawn(axes, tmp_path)


def test_distributions_count_every_scored_item_of_every_run(run, tmp_path):
    axes = run.plot.distributions("quality", results("second", 1))
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["main: 80 items", "second: 80 items"]
    heights = [patch.get_data().values.sum() for patch in axes.patches]
    assert heights == [80] * 4
    assert drawn(axes, tmp_path)


def test_figures_name_the_level_of_their_intervals(run):
    assert run.plot.intervals(level=0.9).get_xlabel() == "value with 90 % interval"
    comparison = run.plot.comparison(results("second", 1), level=0.9)
    assert comparison.get_xlabel().startswith("difference with 90 % interval")


def test_a_few_values_have_bars_of_their_own(run, tmp_path):
    axes = run.plot.distributions("hit")
    assert [bar.get_height() for bar in axes.patches] == [
        float((run.metrics["hit"].scores == value).sum()) for value in (0, 1)
    ]
    assert drawn(axes, tmp_path)


def test_thresholds_show_the_share_that_reaches_them(run, tmp_path):
    axes = run.plot.thresholds("quality")
    xs, ys = axes.lines[0].get_data()
    place = len(xs) // 3
    assert ys[place] == pytest.approx(np.mean(run.metrics["quality"].scores >= xs[place]))
    lower = run.plot.thresholds("cost").lines[0].get_data()
    assert lower[1][0] == pytest.approx(1 / 80)
    assert drawn(axes, tmp_path)


def test_thresholds_with_labels_show_precision_recall_and_f1(run, tmp_path):
    axes = run.plot.thresholds("quality", "good")
    precision, recall, f1, best = (line.get_data() for line in axes.lines)
    scores, good = run.metrics["quality"].scores, np.array(run.inputs["good"])
    threshold = precision[0][10]
    called = scores >= threshold
    assert precision[1][10] == pytest.approx(good[called].mean())
    assert recall[1][10] == pytest.approx(called[good].mean())
    assert best[1][0] == pytest.approx(np.nanmax(f1[1]))
    assert drawn(axes, tmp_path)


def test_slices_are_drawn_worst_first(run, tmp_path):
    axes = run.plot.slices("quality", "language")
    values = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert values == sorted(values)
    assert all("(40)" in row for row in rows(axes))
    assert drawn(axes, tmp_path)


def test_curves(classified, tmp_path):
    axes = classified.plot.curve()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("recall", "precision")
    assert len(axes.lines) == 3
    assert drawn(axes, tmp_path)
    (calibration,) = [name for name in classified.metrics if name == "classification_calibration_error"]
    assert classified.plot.curve(calibration).get_xlabel() == "confidence"


def test_a_confusion_matrix_shows_its_counts(classified, tmp_path):
    axes = classified.plot.confusion()
    assert sum(float(text) for text in texts(axes)) == 90
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("predicted", "true")
    assert drawn(axes, tmp_path)


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (lambda plot: plot.curve(), "this run has no curve to draw; metrics with one: none"),
        (lambda plot: plot.curve("hit"), "hit has no curve to draw"),
        (lambda plot: plot.confusion("hit"), "hit has no confusion to draw"),
        (lambda plot: plot.distributions("none"), "no item is scored by none"),
        (lambda plot: plot.thresholds("none"), "no item is scored by none"),
        (lambda plot: plot.intervals("hit"), "give a list of names"),
        (lambda plot: plot.intervals(["hits"]), "no metric 'hits'"),
        (lambda plot: plot.slices("hit", "topic"), "no column 'topic'"),
    ],
)
def test_what_cannot_be_drawn_is_told(run, draw, told):
    with pytest.raises(InputError, match=told):
        draw(run.plot)


def test_axes_of_ones_own_are_drawn_on(run):
    axes = Figure().add_subplot()
    assert run.plot.intervals(ax=axes) is axes


def test_nothing_global_changes(run):
    before = dict(mpl.rcParams)
    run.plot.intervals()
    run.plot.distributions("quality")
    assert dict(mpl.rcParams) == before


@pytest.mark.slow
def test_pyplot_is_never_imported_and_matplotlib_only_to_draw():
    code = (
        "import sys; from thresher import EvaluationResults;"
        "run = EvaluationResults.from_dict({'inputs': {}, 'metrics': [{'name': 'm', 'scores': [0, 1, 1]}]});"
        "before = 'matplotlib' in sys.modules; run.plot.intervals();"
        "print(before, 'matplotlib.figure' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "True", "False"]


def test_without_the_package_the_extra_is_named(run, monkeypatch):
    ordinary = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return ordinary(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingDependencyError, match=r"thresher\[plot\]"):
        run.plot.intervals()
