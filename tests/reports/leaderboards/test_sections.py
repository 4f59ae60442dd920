import itertools

import numpy as np
import pytest
from tests.reports.leaderboards.conftest import made, used

from thresher import EvaluationResults, InputError, leaderboard
from thresher.components import LatencyEvaluator
from thresher.results import Measure, MetricResult, Signature, Statistics

GRID = [{"top_k": k, "search": search} for k, search in itertools.product((3, 5), ("bm25", "dense"))]


@pytest.fixture
def grid():
    """Scores of 60 items in 2 x 2 settings: `dense` adds 0.1, `top_k` nothing."""
    generator = np.random.default_rng(2)
    items = generator.normal(0.5, 0.1, 60)
    scores = [
        items + 0.1 * (settings["search"] == "dense") + generator.normal(0, 0.05, 60) for settings in GRID
    ]
    return [
        made(f"run{place}", own, settings=settings)
        for place, (own, settings) in enumerate(zip(scores, GRID, strict=True))
    ]


def test_effects_of_settings_are_differences_of_means_over_the_others(grid):
    report = leaderboard(grid)
    means = [run.metrics["score"].value for run in grid]
    top_k, search = report.effects.rows
    assert (top_k.effect.factor, top_k.change, top_k.effect.configurations) == ("top_k", "3 -> 5", 4)
    assert top_k.comparison.difference == pytest.approx((means[2] + means[3] - means[0] - means[1]) / 2)
    assert search.comparison.difference == pytest.approx((means[1] + means[3] - means[0] - means[2]) / 2)
    assert (top_k.comparison.verdict, search.comparison.verdict) == ("inconclusive", "better")
    assert 0 < search.comparison.interval.low < 0.1 < search.comparison.interval.high
    data = report.data()["settings"]
    assert [row["setting"] for row in data["effects"]] == ["top_k", "search"]
    assert data["interaction_p"] == report.effects.interaction_p > 0.05
    assert "No interaction of settings is shown" in report.render("markdown")


def test_settings_that_interact_are_reported(table):
    generator = np.random.default_rng(3)
    runs = [
        made(
            f"{k}{c}", table[:, 0] + 0.2 * (k == c) + generator.normal(0, 0.05, 40), settings={"k": k, "c": c}
        )
        for k, c in itertools.product((0, 1), (0, 1))
    ]
    report = leaderboard(runs)
    assert report.effects.interaction_p < 0.05
    assert "Settings interact (p < 0.001): what one changes depends on the others" in str(report)


def test_settings_that_vary_together_have_no_effects_but_a_reason(grid):
    together = leaderboard([grid[0], grid[3]])
    assert [section.name for section in together.sections] == []
    (reason,) = [line for line in together.reading if line.startswith("No effects of settings")]
    assert "cannot separate the effects of top_k, search, which vary together" in reason
    with pytest.raises(InputError, match="vary together"):
        _ = together.effects


def test_runs_without_varying_settings_have_no_effects(runs, table):
    assert leaderboard(runs).effects is None
    same = [made(name, scores, settings={"k": 1}) for name, scores in zip("ab", table.T, strict=False)]
    assert leaderboard(same).effects is None


def test_all_pairs_are_a_matrix_for_people_and_a_list_for_programs(runs, table):
    report = leaderboard(runs, pairs=True)
    means = dict(zip("abcd", table.mean(axis=0), strict=True))
    pairs = report.data()["pairs"]
    assert len(pairs) == len(report.pairs) == 6
    for row in pairs:
        assert row["difference"] == pytest.approx(means[row["run"]] - means[row["baseline"]])
        assert row["difference"] < 0
    (section,) = report.sections
    shown = {(row["run"], row["baseline"]) for row in pairs if row["verdict"] == "worse"}
    assert shown == {(worse, better) for worse in "ab" for better in "cd"}
    cells = [cell for row in section.table.rows for cell in row[2:]]
    assert sum(cell.endswith("*") for cell in cells) == 4
    assert "pairs" not in leaderboard(runs).data()


def test_runs_that_are_worse_slower_and_dearer_are_dominated(table):
    price = {"a": 2.0, "b": 1.0, "c": 2.0, "d": 1.0}
    runs = [
        made(name, scores, others=[used("cost", [price[name]] * 40)])
        for name, scores in zip("abcd", table.T, strict=True)
    ]
    report = leaderboard(runs)
    places = {row["run"]: (row["place"], row["dominated_by"]) for row in report.data()["trade_offs"]["runs"]}
    assert {run: place for run, (place, _) in places.items()} == {
        "a": "dominated",
        "b": "possible",
        "c": "front",
        "d": "front",
    }
    assert places["a"][1] == "d"
    assert leaderboard([*runs[:3], made("d", table[:, 3])]).trade_offs is None


def test_axes_on_which_all_runs_are_equal_or_ordered_are_left_out(table):
    def runs(cost, seconds):
        return [
            made(n, s, others=[used("cost", [c] * 40), used("latency", [t] * 40), used("tokens", [c] * 40)])
            for n, s, c, t in zip("abcd", table.T, cost, seconds, strict=True)
        ]

    different, same = (1, 2, 3, 4), (5, 5, 5, 5)
    axes = {"both": leaderboard(runs(different, different)), "one": leaderboard(runs(same, different))}
    assert list(axes["both"].data()["trade_offs"]["measures"]) == ["score", "cost", "latency"]
    assert list(axes["one"].data()["trade_offs"]["measures"]) == ["score", "latency"]
    assert leaderboard(runs(same, same)).trade_offs is None
    by_latency = leaderboard(runs(same, different), primary="latency")
    assert (by_latency.names, by_latency.trade_offs) == (list("abcd"), None)


def test_trade_offs_show_the_units_and_the_median_that_the_board_shows(table):
    generator = np.random.default_rng(5)
    runs = []
    for place, (name, own) in enumerate(zip("abcd", table.T, strict=True)):
        seconds = generator.exponential(1 + place, 40)
        results = [*made(name, own).results, LatencyEvaluator().run(seconds=seconds.tolist())["result"]]
        runs.append(EvaluationResults(made(name, own).inputs, results, name=name))
    report = leaderboard(runs, primary="score")
    [section] = [section for section in report.sections if section.name == "trade_offs"]
    assert list(section.table.columns) == ["run", "score", "s, median", "place"]
    board = dict(zip(report.table()["run"], report.summary()["s, median"], strict=True))
    assert dict(zip(section.table["run"], section.table["s, median"], strict=True)) == board
    assert leaderboard(runs, primary="latency_p95").trade_offs is None


def test_a_weighted_score_is_the_sum_of_positions_between_bounds(table):
    generator = np.random.default_rng(0)
    seconds = generator.uniform(1, 3, (40, 4))
    bounds = {"bounds": [0, 1], "primary": False}
    runs = [
        made(name, own, others=[{"name": "faith", "scores": own**2, **bounds}, used("latency", slow)])
        for name, own, slow in zip("abcd", table.T, seconds.T, strict=True)
    ]
    weights = {"faith": 3, "latency": 1}
    report = leaderboard(runs, weights=weights, references={"latency": (0, 5)})
    rows = {row["run"]: row for row in report.data()["weighted"]["runs"]}
    expected = (3 * (table**2).mean(axis=0) + 1 - seconds.mean(axis=0) / 5) / 4
    assert [rows[name]["value"] for name in "abcd"] == pytest.approx(list(expected))
    assert report.names[0] == leaderboard(runs).names[0], "a weighted score does not order the runs"
    assert set(report.weighted.best) == {"c", "d"}
    assert "Weighted score = (3 faith + 1 latency (0 to 5)) / 4" in str(report)
    with pytest.raises(InputError, match=r"latency has no finite bounds; .*--reference latency=0,10"):
        leaderboard(runs, weights=weights)
    with pytest.raises(InputError, match=r"weights: a has no measure 'fait' \(did you mean 'faith'\?\)"):
        leaderboard(runs, weights={"fait": 1})


def test_weights_refuse_measures_with_other_settings(table):
    def judged(name, scores, model):
        measure = Measure(Signature.of("judge", {"model": model}), bounds=(0, 1))
        result = MetricResult([measure], Statistics({"score": scores}), primary=())
        run = made(name, scores)
        return EvaluationResults(run.inputs, [*run.results, result], name=name)

    runs = [judged(name, own, f"m{name}") for name, own in zip("ab", table.T, strict=False)]
    with pytest.raises(InputError, match="weights: judge was computed with other settings in b than in a"):
        leaderboard(runs, weights={"judge": 1})
    assert leaderboard(runs, weights={"judge": 1}, verdicts="always").weighted is not None


def test_the_expected_loss_of_the_best_value_has_the_decimals_of_the_value(table):
    report = leaderboard([made(name, own) for name, own in zip("abcd", table.T, strict=True)])
    [sentence] = [line for line in report.reading if "was chosen from" in line]
    assert 0.0005 < report.ranking.optimism < 0.01
    assert sentence.endswith(f"expect about {report.ranking.optimism:.3f} less on new items.")
