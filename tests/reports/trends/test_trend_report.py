import json

import numpy as np
import pytest

from thresher import EvaluationResults, InputError, trend
from thresher.results import Measure, MetricResult, Signature, Statistics, Status


def run_of(name, scores, *, started="", ids=None, settings=None, direction="higher", questions=None):
    statistics = Statistics({"score": np.array(scores, dtype=float)})
    signature = Signature.of("hit", settings or {})
    status = np.where(np.isnan(statistics["score"]), int(Status.MISSING), 0)
    metric = MetricResult([Measure(signature, direction=direction, bounds=(0, 1))], statistics, status)
    names = [f"q{item}" for item in range(len(scores))] if ids is None else ids
    inputs = {"id": names, **({} if questions is None else {"question": questions})}
    return EvaluationResults(inputs, [metric], name=name, provenance={"started": started} if started else {})


def series(runs, *, falling=(), since=99, items=40, seed=1, rate=0.97, **options):
    rng = np.random.default_rng(seed)
    for number in range(runs):
        scores = (rng.random(items) < rate).astype(float)
        if number >= since:
            scores[list(falling)] = 0
        yield run_of(f"run-{number}", scores, started=f"2026-01-{number + 1:02d}T00:00:00", **options)


def test_a_fall_raises_an_alarm_and_names_the_items():
    report = trend(list(series(29, falling=range(8), since=24)))
    assert report.alarm
    assert report.since == "run-24"
    first, noticed, rate = report.reading[:3]
    assert first.startswith("ALARM: hit fell by 0.19")
    assert "from the 0.97" in first
    assert first.endswith(" of the first 20 runs, since run-24 (5 runs).")
    assert noticed.startswith("Falls of 0.0")
    assert rate == "An unchanged system would alarm about once in two years of nightly runs."
    fallen = {
        name for name, kind in zip(report.histories.names, report.histories.kinds, strict=True) if kind.since
    }
    assert fallen <= {f"q{item}" for item in range(8)}
    assert len(fallen) >= 7
    assert "Fail since run-24: " in report.render("table")
    assert not any("flip" in line for line in report.reading)
    rising = trend(list(series(29, falling=range(8), since=24, direction="lower")))
    assert not rising.alarm
    assert rising.reading[0].startswith("No alarm: hit is not shown to be above the 0.97")


def test_an_unchanged_system_does_not_alarm():
    report = trend(list(series(24)), runs_per_year=52, false_alarms_per_year=2)
    assert not report.alarm
    assert report.reading[0].startswith("No alarm: hit is not shown to be below the 0.97")
    assert report.reading[2] == "An unchanged system would alarm about 2 times in a year of weekly runs."
    assert "flaky" in report.histories.counts
    assert "of the items flip between two runs; this alone gives" in report.reading[-1]


def test_few_runs_have_no_alarm_and_no_rate():
    report = trend(list(series(20, falling=range(30), since=15)))
    assert not report.alarm
    assert report.reading[0] == (
        "No alarm is possible yet: 20 comparable runs; the first 20 are the reference, with fewer it is unknown how "
        "often an unchanged system would alarm."
    )
    assert not any("An unchanged system" in line for line in report.reading)
    assert report.data()["false_alarms_per_year"] is None
    assert trend(list(series(21)), reference=21).watch is None


def test_values_of_runs_account_for_scores_that_are_missing_now_and_then():
    """1 % of the scores are lost each night, those of hard items: the items that all runs scored vanish."""
    rng, base, runs = np.random.default_rng(4), np.linspace(0.2, 1, 40), []
    for number in range(30):
        scores = np.clip(base + rng.normal(0, 0.02, 40) - 0.1 * (number >= 25), 0, 1)
        scores[rng.choice(20, 2, replace=False)] = np.nan
        runs.append(run_of(f"run-{number}", scores, started=f"2026-01-{number + 1:02d}"))
    report = trend(runs)
    assert report.since == "run-25"
    assert report.watch.level == pytest.approx(0.6, abs=0.01)
    assert report.watch.fall == pytest.approx(0.1, abs=0.01)
    assert report.watch.scatter < 0.01
    assert report.values["run-0"].items == 38
    assert report.notes[-1].startswith("Values account for missing scores: there are only 2")


def test_runs_are_ordered_by_their_start():
    runs = list(series(4))
    assert list(trend([runs[2], runs[0], runs[3], runs[1]]).runs) == ["run-0", "run-1", "run-2", "run-3"]
    undated = [run_of("b", [1, 0, 1]), run_of("a", [1, 0, 1])]
    assert list(trend(undated).runs) == ["b", "a"]


def test_a_change_of_settings_divides_the_series_and_only_the_rest_is_tested():
    runs = [*series(5, settings={"judge": "old"}, falling=range(30), since=4), *list(series(9))[5:]]
    report = trend(runs)
    assert [len(stretch.names) for stretch in report.stretches] == [5, 4]
    assert report.latest.why == "other settings"
    assert not report.alarm
    assert [row["compared"] for row in report.table()] == [False] * 5 + [True] * 4
    assert "judge old only in run-0" in report.notes[0]
    assert "--- other settings ---" in report.render("markdown")
    figure = report.figure()
    kinds = [type(mark).__name__ for mark in figure.marks]
    assert kinds.count("Line") == 2
    assert kinds.count("Rule") == 1
    assert kinds.count("Span") == kinds.count("Dot") == 9


def test_other_data_divide_the_series_too():
    first = [run_of(f"a{number}", [1, 0, 1], questions=["A?", "B?", "C?"]) for number in range(2)]
    second = run_of("b", [1, 0, 1], questions=["A?", "B?", "D?"])
    report = trend([*first, second])
    assert [stretch.why for stretch in report.stretches] == ["", "other data"]
    assert report.reading[0].startswith("No alarm is possible yet: 1 comparable run; ")


def test_values_cover_the_items_of_all_runs_and_trial_runs_are_left_out():
    runs = list(series(5, items=20))
    runs[1] = run_of("more", [1.0] * 24, started="2026-01-02T12", ids=[f"q{item}" for item in range(24)])
    runs[3] = run_of("trial", [0.0] * 3, started="2026-01-04T12")
    report = trend(runs)
    assert report.latest.common == 20
    assert report.latest.left_out == {"trial": 3}
    assert "trial is left out: it scored only 3 of 20 items." in report.notes
    assert "trial" not in report.values
    assert {row["run"]: row["why"] for row in report.table()}["trial"] == "only 3 scored items"
    missing = [run_of(f"r{number}", [1] * 11 + [1 if number else np.nan]) for number in range(4)]
    notes = trend(missing).notes
    assert "Values cover the 11 items that all 4 runs scored, of 12." in notes


def test_graded_scores_need_a_bar_for_histories():
    runs = [run_of(f"r{number}", [0.2, 0.9, 0.4 + number / 5]) for number in range(3)]
    assert trend(runs).histories is None
    known = trend(runs, bars={"hit": 0.5}).histories
    assert dict(zip(known.names, known.signs, strict=True)) == {"q0": "FFF", "q1": "ppp", "q2": "Fpp"}
    assert known.counts == {"flaky": 1, "steady fail": 1, "steady pass": 1}
    lower = [run_of(f"r{number}", [0.2, 0.9], direction="lower") for number in range(3)]
    assert trend(lower, bars={"hit": 0.5}).histories.signs == ("FFF", "ppp")
    with pytest.raises(InputError, match="no metric 'hot' in this run"):
        trend(runs, bars={"hot": 1})


def test_runs_without_the_measure_are_left_out():
    other = EvaluationResults.from_dict(
        {"run": "other", "inputs": {"id": ["q0"]}, "metrics": [{"name": "f1", "scores": [1]}]}
    )
    report = trend([other, *series(3)])
    assert report.lacking == {"other": "it has no hit"}
    assert "other is left out: it has no hit." in report.notes
    with pytest.raises(InputError, match="two or more runs"):
        trend([other])


def test_formats(tmp_path):
    runs = list(series(24, falling=range(9), since=20))
    data = json.loads(trend(runs, "json"))
    assert data["alarm"] is True
    assert (data["since"], data["false_alarms_per_year"], data["runs_per_year"]) == ("run-20", 0.5, 365)
    assert data["watch"]["interval"]["low"] < data["watch"]["fall"] < data["watch"]["interval"]["high"]
    assert len(data["watch"]["sums"]) == 4
    assert [run["run"] for run in data["runs"]] == [f"run-{number}" for number in range(24)]
    assert data["histories"]["chance"]["items"] > 0
    assert trend(runs, "csv").splitlines()[0].startswith("run,started,stretch,compared,measure,value,low")
    page = trend(runs, "html", tmp_path / "trend.html")
    assert (tmp_path / "trend.html").read_text().rstrip("\n") == page.rstrip("\n")
    assert page.count('class="span run-0"') == 24
    assert page.index("ALARM: hit fell") < page.index("<table>")
    assert "<title>Trend of hit</title>" in page


def test_hostile_names_are_inert():
    runs = [run_of(f"<script>{number}", [1, 0, number % 2], ids=["<b>", "c", "d"]) for number in range(3)]
    page = trend(runs, "html")
    assert "<script>1" not in page
    assert "<b>" not in page


def test_options_out_of_range():
    runs = list(series(3))
    for wrong in (
        {"reference": 5},
        {"false_alarms_per_year": 0},
        {"level": 2},
        {"primary": ["hit"]},
        {"bars": "hit=1"},
    ):
        with pytest.raises(InputError):
            trend(runs, **wrong)
    with pytest.raises(InputError, match="no metric 'hits'"):
        trend(runs, primary="hits")


def test_repeats_count_once():
    rng = np.random.default_rng(2)
    runs = []
    for number in range(4):
        statistics = Statistics({"score": (rng.random(20) < 0.8).astype(float)})
        metric = MetricResult([Measure(Signature.of("hit", {}), bounds=(0, 1))], statistics)
        inputs = {"id": [f"r{row}" for row in range(20)], "repeat_of": [f"q{row % 10}" for row in range(20)]}
        runs.append(EvaluationResults(inputs, [metric], name=f"run-{number}"))
    report = trend(runs, bars={"hit": 1})
    assert report.latest.common == 10
    assert len(report.histories.names) == 10


def test_runs_that_cannot_be_shown_are_refused_in_a_line():
    nan = float("nan")
    apart = [[1, 1, nan, nan], [nan, nan, 1, 0]]
    with pytest.raises(InputError, match="some systems share no items"):
        trend([run_of(f"run-{run}", row) for run, row in enumerate(apart)], "table")
    with pytest.raises(InputError, match="a trend needs two or more runs, not 1"):
        trend([run_of("one", [1, 0])])
    with pytest.raises(
        InputError, match="a trend of hit needs a run with a value of it: a: no item is scored"
    ):
        trend([run_of("a", [nan]), run_of("b", [nan])])


def test_items_that_did_not_change_have_no_table():
    runs = [run_of(f"run-{run}", [1, 0, 1, 1]) for run in range(3)]
    report = trend(runs)
    assert report.histories.counts == {"steady fail": 1, "steady pass": 3}
    assert report.further_tables() == []
    assert trend([*runs, run_of("last", [0, 0, 1, 1])]).further_tables()
