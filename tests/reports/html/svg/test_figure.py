import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from thresher.reports.figures.distribution import distribution
from thresher.reports.figures.figure import Axis, Figure, Line, RowFigure, Whisker
from thresher.reports.html.svg.figure import draw
from thresher.reports.html.svg.rows import draw_rows
from thresher.reports.html.svg.shares import shares_bar
from thresher.reports.scores.sorted_scores import SortedScores


def read(drawing):
    """The drawing as XML; it must be well-formed."""
    return ET.fromstring(str(drawing))  # noqa: S314  # our own drawing


def named(drawing, name):
    return [each for each in read(drawing).iter() if name in each.get("class", "").split()]


def histogram(scores, span, name="Hit"):
    names = {run: f"run {run}" for run in scores}
    columns = {run: SortedScores.of(np.asarray(column)) for run, column in scores.items()}
    return draw(distribution(name, columns, names, span, "h"))


def whisker(value, ends=None, *, zero=False):
    (drawing,) = draw_rows(RowFigure("", Axis("", (0, 1)), (Whisker(value, ends),), zero=zero))
    return drawing


def curve(*lines, x="", y="", description="curve"):
    return draw(Figure("", Axis(x), Axis(y), lines, description))


def test_every_drawing_says_what_it_shows():
    drawing = whisker(0.5, (0.4, 0.6))
    assert read(drawing).get("role") == "img"
    assert read(drawing).get("aria-label") == "0.500, interval 0.400 to 0.600, on a scale from 0.000 to 1.000"
    assert read(shares_bar(3, 1, 2)).get("aria-label") == "3 wins, 1 tie, 2 losses"


def test_a_whisker_reaches_from_limit_to_limit_around_the_dot():
    drawing = whisker(0.5, (0.25, 1.0), zero=True)
    (dot,), (line,) = named(drawing, "dot"), named(drawing, "whisker")
    low, high = (float(place) for place in re.findall(r"M([\d.]+) [\d.]+v8", line.get("d")))
    assert float(dot.get("cx")) == 75
    assert (low, high) == (6 + 138 / 4, 144)
    assert named(drawing, "zero")[0].get("x1") == "6"
    assert not named(whisker(None), "dot")


def test_wins_ties_and_losses_share_the_bar():
    widths = [float(part.get("width")) for part in named(shares_bar(1, 1, 2), "part")]
    assert widths == [16, 16, 32]
    assert not named(shares_bar(0, 0, 0), "part")


def test_few_scores_have_bars_as_high_as_their_counts():
    scores = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1])
    low, high = (float(each.get("height")) for each in named(histogram({0: scores}, (0, 1)), "bar"))
    assert abs(high / low - 2) < 0.01


def test_many_scores_have_an_outline_per_run():
    rng = np.random.default_rng(0)
    drawing = histogram({0: rng.random(100), 1: rng.random(100)}, (0, 1))
    assert len(named(drawing, "outline")) == 2
    assert not named(drawing, "bar")
    close = np.array([0.5, 0.51, 0.52])
    assert named(histogram({0: close}, (0, 1)), "outline")


def test_no_scores_are_an_empty_histogram():
    assert not named(histogram({0: np.zeros(0)}, (0, 1)), "bar")


def test_a_line_breaks_where_it_has_no_value():
    line = Line("precision", [(0, 1.0), (0.1, None), (0.2, 0.5), (0.3, 0.4)])
    assert len(named(curve(line), "line")) == 2


def test_names_cannot_break_a_drawing():
    drawing = curve(Line("a", [(0, 1.0)]), x='<script>"&', description='label "<&>')
    assert "<script" not in str(drawing)
    assert read(drawing).get("aria-label") == 'label "<&>'


@pytest.mark.parametrize(("scores", "shape"), [([0, 1, 1], "bar"), ([0.5, 0.51, 0.52], "outline")])
def test_a_histogram_has_the_colour_of_its_run_where_other_runs_lack_the_metric(scores, shape):
    drawn = named(histogram({1: np.array(scores)}, (0, 1)), shape)
    assert {part.get("class") for part in drawn} == {f"{shape} run-1"}


def test_both_axes_have_a_name():
    def words(drawing):
        return [part.text for part in read(drawing).iter() if part.text]

    assert {"Hit", "items"} <= set(words(histogram({0: np.array([0, 1])}, (0, 1))))
    drawing = curve(Line("cat", [(0, 1.0), (1, 0.5)]), x="recall", y="precision")
    assert {"recall", "precision"} <= set(words(drawing))


def test_a_stepped_line_turns_before_or_after_its_points():
    def corners(steps):
        (line,) = named(curve(Line("", [(0, 0.0), (1, 1.0)], steps=steps)), "line")
        return re.findall(r"[ML]([\d.]+) ([\d.]+)", line.get("d"))

    start, end = ("38", "156"), ("290", "20")
    assert corners(None) == [start, end]
    assert corners("before") == [start, ("38", "20"), end]
    assert corners("after") == [start, ("290", "156"), end]
