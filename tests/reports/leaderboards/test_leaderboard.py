import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.reports.leaderboards.conftest import made, used

from thresher import InputError, leaderboard


def entries(report):
    return {entry.run: entry for entry in report.entries}


def test_runs_are_ordered_by_the_mean_over_the_items_that_all_scored(table, runs):
    report = leaderboard(runs)
    means = dict(zip("abcd", table.mean(axis=0), strict=True))
    assert report.names == sorted(means, key=means.get, reverse=True)
    for entry in report.entries:
        assert entry.measured.value == pytest.approx(means[entry.run])
    interval = entries(report)["d"].measured.interval
    assert interval == runs[3].report().estimates["score"].interval
    assert report.notes == ["Ordered by score over 40 items, which all ranked runs scored."]


def test_the_best_set_holds_the_runs_that_no_other_is_shown_to_beat(runs):
    report = leaderboard(runs)
    assert set(report.best) == {"c", "d"}
    assert [(entries(report)[name].best_rank, entries(report)[name].worst_rank) for name in "abcd"] == [
        (3, 4),
        (3, 4),
        (1, 2),
        (1, 2),
    ]
    assert report.reading[0] == f"2 of 4 runs may be the best in score (95 %): {' and '.join(report.best)}."


def test_differences_to_the_best_value_hold_for_all_pairs_together(table, runs):
    report = leaderboard(runs)
    top, last = report.entries[0], report.entries[-1]
    assert top.difference is None
    assert last.difference.baseline == top.run
    at = {name: place for place, name in enumerate("abcd")}
    gains = table[:, at[last.run]] - table[:, at[top.run]]
    change = last.difference.comparison
    assert change.difference == pytest.approx(gains.mean())
    alone = stats.t.interval(0.95, 39, gains.mean(), stats.sem(gains))
    assert change.interval.low < alone[0] < alone[1] < change.interval.high
    studentized = stats.studentized_range.ppf(0.95, 4, np.inf) / np.sqrt(2)
    assert (change.difference - change.interval.low) / stats.sem(gains) == pytest.approx(
        studentized, abs=0.25
    )


def test_a_baseline_gets_the_differences_and_verdicts(runs):
    report = leaderboard(runs, baseline="a")
    verdicts = {run: entry.difference and entry.difference.verdict for run, entry in entries(report).items()}
    assert verdicts == {"a": None, "b": "inconclusive", "c": "better", "d": "better"}
    assert all(entry.difference.baseline == "a" for run, entry in entries(report).items() if run != "a")
    top = report.names[0]
    assert any(line.startswith(f"Against a: better: {top} and ") for line in report.reading)
    with pytest.raises(InputError, match=r"no run 'e' for a baseline.*there are a, b, c, d"):
        leaderboard(runs, baseline="e")


def test_two_runs_have_the_difference_of_compare(runs):
    report = leaderboard(runs[1:3], baseline="b")
    (row,) = [entry.difference for entry in report.entries if entry.difference]
    compared = runs[1].compare(runs[2]).rows[0].comparison
    assert row.comparison.to_dict() == replace(compared, p_adjusted=None).to_dict()


def test_lower_is_better_turns_the_order_around(table):
    runs = [made(name, scores, direction="lower") for name, scores in zip("abcd", table.T, strict=True)]
    report = leaderboard(runs)
    assert set(report.best) == {"a", "b"}
    assert "more on new items" in report.reading[1]


def test_usage_is_shown_and_names_the_cheapest_of_the_best(table):
    costs = dict(zip("abcd", (0.1, 0.2, 0.5, 0.3), strict=True))
    runs = [
        made(name, scores, others=[used("cost", [costs[name]] * 40), used("latency", range(1, 41))])
        for name, scores in zip("abcd", table.T, strict=True)
    ]
    report = leaderboard(runs)
    assert report.reading[0].endswith("The cheapest of them is d, cost 0.3 per item.")
    usage = entries(report)["d"].usage
    assert (usage.cost, usage.cost_total) == (pytest.approx(0.3), pytest.approx(12))
    assert (usage.latency_median, usage.latency_p95) == (20.5, pytest.approx(38.05))
    assert usage.tokens is None
    assert "cheapest" not in leaderboard([*runs[:3], made("d", table[:, 3])]).reading[0]


def test_every_format_shows_the_runs(runs, tmp_path):
    report = leaderboard({name * 2: run for name, run in zip("abcd", runs, strict=True)})
    assert list(report.render("df")["run"]) == report.names
    data = json.loads(report.render("json"))
    assert [row["run"] for row in data["runs"]] == report.names
    assert data["best"] == report.best
    for text in (str(report), report.render("markdown"), report.render("latex"), report.render("csv")):
        assert all(name in text for name in report.names)
    assert report._repr_html_().count("<table>") == 1
    assert leaderboard(runs, pairs=True)._repr_html_().count("<table>") == 2
    leaderboard(runs, path=tmp_path / "board.md")
    assert (tmp_path / "board.md").read_text().startswith("- Ordered by score")


def test_a_comparison_of_many_runs_shows_the_leaderboard_first_in_every_format(runs, tmp_path):
    report = runs[0].compare(runs[1:])
    board = report.leading()
    for form in ("table", "markdown", "latex"):
        text = report.render(form)
        assert text.startswith(board.render(form))
    assert "$\\star$" in report.render("latex")
    assert report.data()["leaderboard"] == board.data()
    assert runs[0].compare(runs[1]).leading() is None
    openpyxl = pytest.importorskip("openpyxl")
    report.save(tmp_path / "board.xlsx")
    assert openpyxl.load_workbook(tmp_path / "board.xlsx").sheetnames[:2] == ["leaderboard", "report"]


def test_a_gain_that_rounds_to_nothing_is_not_called_luck(table):
    runs = [
        made(name, scores)
        for name, scores in zip("ab", (table[:, 0] / 2, table[:, 0] / 2 + 0.4), strict=True)
    ]
    assert len(leaderboard(runs).reading) == 1


def test_every_run_with_a_possible_rank_of_1_has_a_star():
    rng = np.random.default_rng(1)
    items = rng.random(30)
    scores = [np.clip(items * 0.7 + rng.normal(0.1 + run * 0.02, 0.15, 30), 0, 1) for run in range(20)]
    many = leaderboard([made(f"run-{run}", row) for run, row in enumerate(scores)])
    assert [entry.best_rank == 1 for entry in many.entries] == [entry.may_be_best for entry in many.entries]
    assert 1 < len(many.best) < 20


def test_a_single_item_is_counted_in_the_singular():
    shown = leaderboard([made("a", [0.5]), made("b", [0.75])]).render("table")
    assert "Ordered by score over 1 item, which" in shown
