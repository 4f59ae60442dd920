"""Bounds of a measure that a user knows: narrower ones show more, and never contradict a score."""

import pytest

from thresher import EvaluationResults, InputError, leaderboard
from thresher.cli import main


def rated(name, scores, bounds=(1, 5)):
    metrics = [{"name": "rating", "scores": scores, "bounds": bounds, "primary": True}]
    data = {"inputs": {"id": [f"q{at}" for at in range(len(scores))]}, "metrics": metrics}
    return EvaluationResults.from_dict(data, name=name)


@pytest.fixture
def runs():
    """A gain of half a point in each of 16 items, which one fall from 5 to 1 among the next could undo."""
    return rated("a", [4.0, 4.5] * 8), rated("b", [4.5, 5.0] * 7 + [4.75, 4.75])


def test_narrower_bounds_show_what_wide_ones_leave_open(runs):
    known = [run.with_bounds({"rating": (3.5, 5)}) for run in runs]
    assert [pair[0].compare(pair[1]).rows[0].verdict for pair in (runs, known)] == ["likely better", "better"]
    wide, narrow = (run.report().estimates["rating"].interval for run in (runs[0], known[0]))
    assert wide.low + 0.3 < narrow.low < 4.25 < narrow.high < 5
    assert leaderboard(known).best == ["b"]
    assert known[0].metrics["rating"].value == runs[0].metrics["rating"].value


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        ({"rating": (4.2, 5)}, "item q0 has 4, outside 4.2 to 5"),
        ({"rating": (5, 1)}, "5 is not below 1"),
        ({"ratings": (1, 5)}, "did you mean 'rating'"),
    ],
)
def test_bounds_that_cannot_hold_are_refused(runs, bounds, reason):
    with pytest.raises(InputError, match=reason):
        runs[0].with_bounds(bounds)


def test_the_command_line_takes_bounds(runs, tmp_path, capsys):
    paths = [str(tmp_path / f"{run.name}.json") for run in runs]
    for run, path in zip(runs, paths, strict=True):
        run.save(path)
    assert main(["compare", *paths]) == 0
    assert "likely better" in capsys.readouterr().out
    assert main(["compare", *paths, "--bounds", "rating=3.5,5"]) == 0
    assert "likely" not in capsys.readouterr().out
    gate = ["gate", paths[1], "--baseline", paths[0], "--require", "no-regression"]
    assert [main(gate), main([*gate, "--bounds", "rating=3.5,5"])] == [4, 0]
    capsys.readouterr()
    with pytest.raises(SystemExit, match="2"):
        main(["report", paths[0], "--bounds", "rating=3.5"])
    assert "write METRIC=LOW,HIGH" in capsys.readouterr().err
