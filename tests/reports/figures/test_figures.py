"""Every figure is described once and drawn by both back ends."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from thresher.kernels.inference import ScoredLabels
from thresher.reports.figures.confusion import counts_by_key, matrix
from thresher.reports.figures.curves import curves
from thresher.reports.figures.distribution import distribution
from thresher.reports.figures.figure import Axis, BarGroups, Line, Outline, RowFigure, Rule, Whisker
from thresher.reports.figures.thresholds import operating_points, passing
from thresher.reports.html.svg import figure as svg
from thresher.reports.html.svg.rows import draw_rows
from thresher.reports.plots.matplotlib import draw
from thresher.reports.scores.sorted_scores import SortedScores
from thresher.results import Detail


def in_order(scores):
    return SortedScores.of(np.array(scores))


SCORES = np.random.default_rng(0).random(50)


def detail(**columns):
    keys = tuple(name for name in columns if name in ("label", "threshold", "bin"))
    return Detail("curve", "curve", keys, columns)


def two_labels():
    return detail(
        label=["a", "a", "b", "b"],
        threshold=[0.2, 0.8] * 2,
        precision=[0.5, 1.0, 0.4, 0.9],
        recall=[1.0, 0.5, 0.9, 0.4],
        tp=[2, 1, 3, 1],
    )


FIGURES = {
    "bars": lambda: distribution("Hit", {0: in_order([0.0, 1.0, 1.0])}, {0: "a"}, (0.0, 1.0)),
    "histogram": lambda: distribution(
        "F1", {0: in_order(SCORES), 1: in_order(SCORES**2)}, {0: "a", 1: "b"}, (0.0, 1.0)
    ),
    "curve": lambda: curves(two_labels())[0][0],
    "passing": lambda: passing("F1", in_order(SCORES), "higher"),
    "operating points": lambda: operating_points("F1", ScoredLabels.of(SCORES, SCORES > 0.4, "higher")),
}
ROWS = (Whisker(0.1, (0.0, 0.2), "better", "F1", margin=0.05), Whisker(None, name="none", tone=None))


@pytest.mark.parametrize("name", FIGURES)
def test_both_back_ends_draw_every_mark_and_name(name):
    figure = FIGURES[name]()
    axes = draw(figure)
    assert axes.get_xlabel() == figure.x.name
    drawing = ET.fromstring(str(svg.draw(figure)))  # noqa: S314  # our own drawing
    parts = [part.get("class", "").split() for part in drawing.iter()]
    assert len([part for part in parts if part and part[0] not in ("tick", "gridline", "axis")]) >= len(
        figure.marks
    )
    assert {figure.x.name, figure.y.name} - {""} <= {part.text for part in drawing.iter()}


def test_both_back_ends_draw_rows():
    figure = RowFigure("b minus a", Axis("difference", (-1.0, 1.0)), ROWS, zero=True)
    axes = draw(figure)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["F1", "none"]
    first, second = map(str, draw_rows(figure))
    assert [part in first for part in ("better", "whisker", "margin", "zero")] == [True] * 4
    assert [part in second for part in ("open", "whisker", "margin", "zero")] == [True, False, False, True]


def test_a_run_keeps_its_series_when_another_run_lacks_the_metric():
    figure = distribution("F1", {2: in_order(SCORES)}, {2: "c"}, (0.0, 1.0))
    assert [mark.series for mark in figure.marks] == [2, 2]


def test_few_separate_scores_are_bars_and_others_an_outline():
    def kind(values):
        return type(distribution("m", {0: in_order(values)}, {0: "a"}, (0.0, 1.0)).marks[0])

    assert kind([0.0, 0.5, 1.0]) is BarGroups
    assert kind([0.5, 0.51]) is Outline
    assert kind([]) is BarGroups


def test_precision_is_drawn_against_recall_before_the_labels():
    figures, left_out = curves(two_labels())
    assert [figure.title for figure in figures] == ["precision against recall", "a", "b"]
    assert [line.name for line in figures[0].marks] == ["a", "b"]
    assert figures[0].marks[0].points == [(1.0, 0.5), (0.5, 1.0)]
    assert [line.name for line in figures[1].marks] == ["precision", "recall"]
    assert left_out == 0


def test_accuracy_is_drawn_against_confidence_with_the_line_of_perfect_calibration():
    figures, _ = curves(detail(bin=[0.5, 1.0], confidence=[0.4, 0.9], accuracy=[0.5, 0.7], decisions=[3, 4]))
    (figure,) = figures
    assert [line.series for line in figure.marks] == [0, None]
    assert figure.marks[1].points == [(0.0, 0.0), (1.0, 1.0)]


def test_labels_that_are_not_drawn_are_counted():
    size = 12
    labels = [f"label {number:02}" for number in range(size)]
    figures, left_out = curves(detail(label=labels, threshold=[0.5] * size, precision=[0.5] * size))
    assert (len(figures), len(figures[0].marks), left_out) == (1, 8, 4)


@pytest.mark.parametrize(("direction", "share"), [("higher", 0.75), ("lower", 0.5)])
def test_the_share_that_passes_holds_on_the_strict_side_of_each_score(direction, share):
    figure = passing("m", in_order([1.0, 2.0, 3.0, 4.0]), direction)
    (line,) = [mark for mark in figure.marks if isinstance(mark, Line)]
    assert dict(line.points)[2.0] == share
    assert line.steps == ("before" if direction == "higher" else "after")


def test_a_matrix_has_a_row_per_true_label_and_a_column_per_label():
    columns = {"truth": ["a", "a", None], "predicted": ["a", None, "b"], "count": [3, 1, 2]}
    counts = counts_by_key(Detail("confusion", "confusion", ("truth", "predicted"), columns))
    confused = matrix("", counts[""])
    assert (confused.row_names, confused.column_names) == (["a", "nothing"], ["a", "b", "none"])
    assert confused.shares.tolist() == [[0.75, 0, 0.25], [0, 1, 0]]
    assert [text.get_text() for text in draw(confused).texts] == ["3", "1", "2"]


def test_a_run_without_scores_has_no_median():
    figure = distribution("F1", {0: in_order(SCORES), 1: in_order([])}, {0: "a", 1: "b"}, (0.0, 1.0))
    assert [mark.series for mark in figure.marks if isinstance(mark, Rule)] == [0]
