"""The leaderboard on the page of three or more runs."""

import re

import numpy as np
import pytest

from reports.html.test_report import Page
from thresher import EvaluationResults, leaderboard
from thresher.reports.html import html_report
from thresher.reports.html.numbers import DASH, number
from thresher.reports.html.sections.leaderboard import leaderboard_section, pair_matrix


def run(name, shift, *, items=60, missing=0, settings=None, seed=1):
    difficulty = np.random.default_rng(0).uniform(0.2, 0.7, items)
    scores = (difficulty + shift + np.random.default_rng(seed).normal(0, 0.02, items)).round(4).tolist()
    scores[:missing] = [None] * missing
    metrics = [
        {"name": "token_f1", "scores": scores, "bounds": [0, 1]},
        {"name": "cost", "scores": [0.002 + shift / 100] * items, "direction": "lower", "primary": False},
    ]
    data = {"inputs": {"id": [f"q{item}" for item in range(items)]}, "metrics": metrics}
    known = EvaluationResults.from_dict(data)
    return EvaluationResults(known.inputs, known.results, name=name, provenance={"settings": settings or {}})


RUNS = [
    run("low", 0.0, settings={"r.top_k": 1, "r.kind": "bm25"}),
    run("high", 0.2, settings={"r.top_k": 5, "r.kind": "bm25"}),
    run("near", 0.2, settings={"r.top_k": 10, "r.kind": "bm25"}, seed=2),
]


def test_the_leaderboard_comes_first_with_its_sentence_and_chips_of_what_varies():
    text = html_report(RUNS)
    page = Page(text).text
    report = leaderboard(RUNS)
    assert (
        page.index(report.reading[0]) < page.index("Comparison with A low") < page.index("Distributions How")
    )
    rows = re.findall(r'<span class="chip">(.*?)</span>', text)
    assert set(rows) == {"top_k <b>1</b>", "top_k <b>5</b>", "top_k <b>10</b>"}
    assert text.count('class="best"') == len(report.best) == 2
    assert number(report.entries[-1].difference.comparison.difference, signed=True) in page
    assert report.entries[-1].run == "low"
    assert "cost per 1,000" in page


def test_intervals_need_no_pointer():
    text, section = html_report(RUNS), leaderboard_section(leaderboard(RUNS), ["low", "high", "near"])
    for row in section["rows"]:
        assert f'<span class="strong">{row["value"]}</span><small>{row["limits"]}</small>' in text


def test_two_runs_and_runs_without_a_primary_measure_have_no_leaderboard():
    assert "leaderboard-title" not in html_report(RUNS[:2])
    silent = [
        EvaluationResults.from_dict(
            {"inputs": {"id": ["a", "b"]}, "metrics": [{"name": "m", "scores": [0, 1], "primary": False}]},
            name=name,
        )
        for name in "ABC"
    ]
    text = html_report(silent)
    assert "leaderboard-title" not in text
    assert "There is no leaderboard: the runs declare no primary measure" in text


def test_a_leaderboard_saved_as_a_page_keeps_its_measure_and_baseline(tmp_path):
    report = leaderboard(RUNS, baseline="low")
    report.save(tmp_path / "board.html")
    text = (tmp_path / "board.html").read_text(encoding="utf-8")
    assert "difference to low" in text
    assert Page(text).text.index("Leaderboard by token_ f1") < Page(text).text.index("Comparison with A low")


@pytest.mark.parametrize("missing", [0, 3])
def test_a_row_says_how_many_items_were_scored_and_why_a_run_has_no_rank(missing):
    runs = [*RUNS[:2], run("short", 0.2, missing=50), run("few", 0.1, missing=missing)]
    section = leaderboard_section(leaderboard(runs), ["low", "high", "short", "few"])
    rows = {row["name"]: row for row in section["rows"]}
    assert rows["short"]["rank"] == DASH
    assert rows["short"]["why"]
    assert rows["few"]["gaps"] is bool(missing)
    assert rows["few"]["coverage"] == f"{60 - missing}/60"
    assert rows["low"]["tone"] == "worse"


def test_a_pair_seen_from_its_other_run_is_turned_around():
    interval = {"low": 0.05, "high": 0.2}
    pair = {"run": "b", "baseline": "a", "difference": 0.1, "verdict": "better", "interval": interval}
    first, second = pair_matrix([pair], [{"run": "b", "rank": 1}, {"run": "a", "rank": 2}], ["a", "b"])
    assert (first["run"], second["run"]) == (1, 0)
    assert first["cells"][0] is None
    assert first["cells"][1]["tone"] == "better"
    assert second["cells"][0]["tone"] == "worse"
    assert second["cells"][0]["limits"] == "[−0.200, −0.050]"  # noqa: RUF001  # the minus sign of the page


def test_effects_of_settings_trade_offs_and_all_pairs_are_below_the_table():
    grid = [
        run(f"{kind}-{top_k}", shift, settings={"r.kind": kind, "r.top_k": top_k}, seed=top_k)
        for kind, top_k, shift in (("bm25", 1, 0.0), ("bm25", 5, 0.1), ("dense", 1, 0.05), ("dense", 5, 0.15))
    ]
    text = html_report(grid)
    page = Page(text).text
    report = leaderboard(grid, pairs=True)
    for effect in report.effects.rows:
        assert f"{effect.effect.before} → {effect.effect.after}" in page
        assert number(effect.comparison.difference, signed=True) in page
    assert page.index("possible rank") < page.index("What each setting changes") < page.index("All pairs")
    assert page.count("[") > 12
    assert "Trade-off of token_f1" in page
