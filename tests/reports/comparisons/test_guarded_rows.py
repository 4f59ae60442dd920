"""Equivalence of a ratio of sums needs the guarded interval, in every format and in gates alike."""

import csv
import io
import json

import numpy as np
import pytest

from thresher import EvaluationResults
from thresher.results import Measure, MetricResult, Quantile, RatioOfSums, Signature, Statistics

POOLED = RatioOfSums((("hits", 1.0),), (("size", 1.0),))
RARE = "larger differences may be too rare to occur here: with a gain and a loss of the whole range added"
NEEDED = "(two one-sided tests), also with a gain and a loss of the whole range added"


def runs(items):
    size = np.full(items, 10)
    made = []
    for name, step in (("a", 0), ("b", 1)):
        hits = 8 + step * (np.arange(items) % 3 - 1)
        statistics = Statistics({"hits": hits, "size": size, "time": hits / 10})
        measures = [
            Measure(Signature.of("pooled", {}), POOLED, None, bounds=(0.0, 1.0)),
            Measure(Signature.of("slowest", {}), Quantile("time", 0.95), None, bounds=(0.0, 1.0)),
        ]
        inputs = {"id": [str(item) for item in range(items)]}
        made.append(EvaluationResults(inputs, [MetricResult(measures, statistics)], name=name))
    return made


@pytest.mark.parametrize("output", ["table", "markdown", "html"])
def test_formats_for_people_say_why_few_items_are_not_equivalent(output):
    first, second = runs(21)
    shown = first.comparative_aggregate_score_report(second, output, margin=0.05, metrics=["pooled"])
    assert RARE in shown.replace("\n", " ")
    assert "equivalent within" not in shown


def test_data_have_the_guarded_interval_beyond_the_margin():
    first, second = runs(21)
    (row,) = json.loads(
        first.comparative_aggregate_score_report(second, "json", margin=0.05, metrics=["pooled"])
    )["differences"]
    assert (row["verdict"], row["guarded"]["level"]) == ("inconclusive", 0.9)
    assert row["narrow"]["high"] < 0.05 < row["guarded"]["high"]
    limit = row["guarded"]["high"]
    assert row["why"].endswith(f"with a gain and a loss added [{-limit:+.3f}, {limit:+.3f}]")
    table = first.comparative_aggregate_score_report(second, "csv", margin=0.05, metrics=["pooled"])
    (cells,) = csv.DictReader(io.StringIO(table))
    assert (float(cells["guarded_low"]), float(cells["guarded_high"])) == (-limit, limit)
    assert cells["why"] == row["why"]


def test_many_items_are_equivalent_and_quantiles_without_the_guard():
    first, second = runs(210)
    both = first.comparative_aggregate_score_report(
        second, "table", margin=0.2, metrics=["pooled", "slowest"]
    )
    assert f"{NEEDED} (not slowest);" in both.replace("\n", " ")
    pooled = first.comparative_aggregate_score_report(second, "table", margin=0.2, metrics=["pooled"])
    assert f"{NEEDED};" in pooled.replace("\n", " ")
    slowest = first.comparative_aggregate_score_report(second, "table", margin=0.2, metrics=["slowest"])
    assert "(two one-sided tests); the table" in slowest.replace("\n", " ")


def test_a_gate_passes_as_the_comparison_is_equivalent():
    few, many = ([*runs(items)] for items in (21, 210))
    for requirement in ("no-regression(pooled) within 0.05", "pooled>=baseline-0.05"):
        (decision,) = few[1].gate([requirement], baseline=few[0]).decisions
        assert decision.outcome == "inconclusive"
        assert RARE in decision.sentence
        assert many[1].gate([requirement], baseline=many[0]).decisions[0].outcome == "passed"
