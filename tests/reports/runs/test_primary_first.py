"""Reports begin with the primary measures, and mark them."""

import csv
import io
import json

import pytest

from thresher import EvaluationResults
from thresher.datasets import read_dataset
from thresher.pipelines.library import RECIPES, load_recipe
from thresher.pipelines.plan import Plan
from thresher.results import Measure, MetricResult, Signature, Statistics

MARK = "primary: comparisons of runs test this; the other rows are shown without a verdict."


def result(*names):
    measures = [Measure(Signature.of(name, {}), rule="by hand" if name == "d2" else "") for name in names]
    return MetricResult(measures, Statistics({"score": [0.0, 1.0]}), [0, 0])


@pytest.fixture
def run():
    results = [result("a"), result("b1", "b2"), result("d1", "d2", "d3")]
    return EvaluationResults({}, [each.with_primary(["d2"]) for each in results], name="scores")


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_begins_with_its_primary_measures(name):
    recipe = RECIPES[name]
    plan = Plan.of(load_recipe(name), read_dataset({column: [] for column in recipe.needs}))
    metrics = EvaluationResults({}, plan.dry_run()).metrics
    first, others = len(recipe.primary), [*metrics.values()][len(recipe.primary) :]
    assert {*list(metrics)[:first]} == {*recipe.primary}
    assert not any(metric.is_primary for metric in others)
    siblings = [bool(metric.result.primary) for metric in others]
    assert siblings == sorted(siblings, reverse=True)


def test_every_format_has_them_first(run):
    report = run.report()
    order = ["d2", "d1", "d3", "a", "b1", "b2"]
    text = report.render(output_format="table")
    assert [line.split()[0] for line in text.splitlines() if "one-more" in line] == order
    assert "d2 (by hand) ↑ primary  " in text
    assert text.count(" ↑ primary") == 1
    assert MARK in text
    markdown = report.render(output_format="markdown")
    assert [line.split()[1] for line in markdown.splitlines() if "one-more" in line] == order
    assert "| d2 (by hand) ↑ primary |" in markdown
    assert [*json.loads(report.render(output_format="json"))["metrics"]] == order
    rows = list(csv.DictReader(io.StringIO(report.render(output_format="csv"))))
    assert [(row["metric"], row["primary"], row["rule"]) for row in rows[:2]] == [
        ("d2", "True", "by hand"),
        ("d1", "False", ""),
    ]
    page = report.render(output_format="html")
    overview = page[page.index('id="overview"') : page.index("Signatures")]
    assert [overview.index(f"\n  {name}&nbsp;") for name in order] == sorted(
        overview.index(f"\n  {name}&nbsp;") for name in order
    )
    assert overview.count(">primary</small>") == 1


def test_a_mark_that_all_rows_would_have_is_left_out(run):
    alone = run.report(metrics=["d2"])
    assert " primary" not in alone.render(output_format="table")
    assert ">primary</small>" not in alone.render(output_format="html")


def test_chosen_measures_keep_their_order(run):
    text = run.report(metrics=["a", "d2"]).render(output_format="table")
    assert text.index("a ↑") < text.index("d2 (by hand) ↑ primary")
