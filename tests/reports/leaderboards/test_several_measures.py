"""Leaderboards of runs that declare several primary measures."""

import itertools
import json
import re

import numpy as np
import pytest
from tests.reports.leaderboards.conftest import made, used

from thresher import EvaluationResults, leaderboard

GRID = [{"r.top_k": k, "p.style": style} for k, style in itertools.product((1, 3, 10), ("brief", "long"))]
ITEMS = 60


def grid(*measures, settings=GRID, lacking=0):
    """Runs whose primary measures are those named, in this order.

    `long` loses 0.4 of token_f1, one passage loses recall, nothing changes bleu, and em is token_f1 again.
    The last run lacks the first items of recall.
    """
    runs = []
    for place, own in enumerate(settings):
        generator = np.random.default_rng(place)
        f1 = 0.73 - 0.415 * (own["p.style"] == "long") + np.random.default_rng(9).normal(0, 0.1, ITEMS)
        recall = (np.arange(ITEMS) % 10 < (6 if own["r.top_k"] == 1 else 10)).astype(float)
        scores = {"token_f1": f1 + generator.normal(0, 0.1, ITEMS), "retrieval_recall": recall}
        scores |= {"em": scores["token_f1"] / 2, "bleu": np.random.default_rng(3).uniform(0, 1, ITEMS)}
        metrics = [{"name": name, "scores": list(map(float, scores[name]))} for name in measures]
        if place == len(settings) - 1:
            for metric in metrics:
                if metric["name"] == "retrieval_recall":
                    metric["scores"][:lacking] = [None] * lacking
        name = f"top_k={own['r.top_k']},style={own['p.style']}"
        inputs = {"id": [f"q{item}" for item in range(ITEMS)]}
        metrics += [used("cost", [0.1 + place] * ITEMS)]
        data = EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name)
        provenance = {**data.provenance, "settings": own}
        runs.append(EvaluationResults(data.inputs, data.results, name=name, provenance=provenance))
    return runs


BRIEF = {f"top_k={k},style=brief" for k in (1, 3, 10)}
SAYING = "style=brief wins token_f1; top_k=3 and 10 win retrieval_recall."


def test_a_prompt_that_loses_the_first_measure_has_no_star_and_the_second_measure_its_own_sentence():
    report = leaderboard(grid("token_f1", "retrieval_recall"))
    assert set(report.best) == BRIEF
    assert SAYING in report.reading
    assert report.reading[1].startswith("4 of 6 runs may be the best in retrieval_recall (95 %): ")
    others = {entry.run: entry.others["retrieval_recall"].may_be_best for entry in report.entries}
    assert {run for run, may in others.items() if not may} == {"top_k=1,style=brief", "top_k=1,style=long"}


def test_with_the_other_measure_first_the_sentence_says_that_measures_disagree():
    report = leaderboard(grid("retrieval_recall", "token_f1"))
    assert "top_k=10,style=long" in report.best
    assert set(report.names[:2]) == {"top_k=3,style=brief", "top_k=10,style=brief"}, "equal values of recall"
    assert "top_k=3 and 10 win retrieval_recall; style=brief wins token_f1." in report.reading
    assert any(line.startswith("3 of 6 runs may be the best in token_f1 (95 %): ") for line in report.reading)


def test_effects_of_settings_are_shown_for_every_primary_measure_the_first_one_first():
    report = leaderboard(grid("token_f1", "retrieval_recall"))
    assert list(report.effects_by_measure) == ["token_f1", "retrieval_recall"]
    text = report.render("markdown")
    titles = [text.index(f"Effect of each setting on {name}") for name in ("token_f1", "retrieval_recall")]
    assert titles == sorted(titles)
    data = json.loads(report.render("json"))
    for effects in (data["settings"], data["others"]["retrieval_recall"]["settings"]):
        changes = [(row["setting"], row["before"], row["after"]) for row in effects["effects"]]
        assert changes == [("r.top_k", 1, 3), ("r.top_k", 3, 10), ("p.style", "brief", "long")]
    assert data["others"]["retrieval_recall"]["best"] == report.ranking.others["retrieval_recall"].best


def test_values_win_only_if_each_is_shown_to_be_better_than_each_other_value():
    shown = leaderboard(grid("token_f1", "retrieval_recall")).effects_by_measure["retrieval_recall"]
    assert shown.wins == {"r.top_k": [3, 10]}
    middle = [{"r.top_k": k, "p.style": "brief"} for k in (1, 3, 10)]
    report = leaderboard(
        [
            made(f"k={own['r.top_k']}", scores, settings=own)
            for own, scores in zip(middle, _chain(), strict=True)
        ]
    )
    verdicts = [row.comparison.verdict.value for row in report.effects.pairs]
    assert verdicts == ["inconclusive", "better", "inconclusive"]
    assert report.effects.wins == {}, "3 is neither shown to be worse than 10 nor better than 1"


def _chain():
    """Scores of which only the third are shown to be better than the first."""
    generator = np.random.default_rng(2)
    items = generator.normal(0.5, 0.1, 40)
    return [items + gain + generator.normal(0, 0.13, 40) for gain in (0.0, 0.05, 0.1)]


def test_measures_that_settings_change_alike_need_no_sentence_and_many_stay_readable():
    alike = leaderboard(grid("token_f1", "em"))
    assert not any(" wins " in line or " win " in line for line in alike.reading)
    many = leaderboard(grid("token_f1", "em", "retrieval_recall", "bleu"))
    wins = "style=brief wins token_f1 and em; top_k=3 and 10 win retrieval_recall"
    assert f"{wins}; no setting is shown to win bleu." in many.reading


def test_runs_without_settings_disagree_if_none_may_be_the_best_in_all_measures():
    runs = [
        EvaluationResults(run.inputs, run.results, name=name)
        for name, run in zip(
            "abcd", grid("token_f1", "retrieval_recall", settings=GRID[:1] + GRID[3:]), strict=False
        )
    ]
    report = leaderboard(runs[:2])
    assert (
        "No run may be the best in all measures: a wins token_f1; b wins retrieval_recall." in report.reading
    )
    assert not any(line.startswith("No run may be") for line in leaderboard(runs).reading)


@pytest.mark.parametrize(
    "measures", [("token_f1", "retrieval_recall"), ("retrieval_recall", "em", "token_f1")]
)
@pytest.mark.parametrize("width", [60, 80, 100, 140, 200, 10_000])
def test_values_of_primary_measures_come_before_helper_columns_and_are_never_left_out(
    measures, width, monkeypatch
):
    monkeypatch.setenv("COLUMNS", str(width))
    report = leaderboard(grid(*measures))
    text = report.render("table").split("Effect of each setting")[0]
    flat = text.replace("\n", " ")
    left_out = re.split(r"[,; ]+", report.render("table").partition("Columns left out at this width: ")[2])
    for table in report.layouts():
        heads = [name.removesuffix(" ↑") for name in table.columns]
        assert tuple(heads[: 3 + len(measures)]) == ("rank", "", "run", *measures)
    for name in measures:
        assert name not in left_out
    for run in grid(*measures):
        for name in measures:
            assert f"{run.metrics[name].value:.3f}" in flat, (name, width)


def test_files_and_pages_have_the_values_first():
    report = leaderboard(grid("token_f1", "retrieval_recall"))
    table = report.render("markdown").partition("| rank |")[2]
    page = report.render("html").partition('<table class="leaderboard">')[2].partition("<thead>")[2]
    for text in (table, page.replace("<wbr>", "")):
        places = [
            text.index(name) for name in ("token_f1", "retrieval_recall", "difference to", "possible ranks")
        ]
        assert places == sorted(places)
    assert list(report.table().columns[:5]) == ["rank", "run", "measure", "value", "retrieval_recall"]
    (first, *_) = json.loads(report.render("json"))["runs"]
    keys = list(first)
    assert keys.index("others") < min(map(keys.index, ("best_rank", "scored", "cost")))


def test_values_of_further_measures_cover_the_items_that_all_runs_scored():
    values = {}
    for lacking in (3, 40):
        report = leaderboard(grid("token_f1", "retrieval_recall", lacking=lacking))
        values[lacking] = {entry.run: entry.others["retrieval_recall"] for entry in report.entries}
    last = "top_k=10,style=long"
    assert values[3]["top_k=1,style=long"].value == pytest.approx(np.mean(np.arange(3, 60) % 10 < 6))
    assert values[40][last].may_be_best is None
    assert f"{last} is not ranked in retrieval_recall: scored 20 of 60 items." in report.notes
    none = leaderboard([*grid("token_f1", "retrieval_recall")[:1], *grid("token_f1")[1:]])
    assert any(line.startswith("No ranking by retrieval_recall: no two runs") for line in none.notes)
