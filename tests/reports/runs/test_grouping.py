"""What a report says of items that belong together."""

import json

import pytest

from thresher import EvaluationResults
from thresher.reports.runs.grouping import Grouping


def notes_of(sizes):
    cluster = [f"d{number}" for number, size in enumerate(sizes) for _ in range(size)]
    scores = [item % 2 for item in range(len(cluster))]
    results = EvaluationResults.from_dict(
        {
            "inputs": {"id": [str(item) for item in range(len(cluster))], "document": cluster},
            "metrics": [{"name": "m", "scores": scores}],
        }
    )
    return results.individual_aggregate_score_report("json", cluster="document")


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ([5] * 10, "10 clusters count."),
        ([7], "all items are in one cluster, which shows no spread, so there are no intervals."),
        ([5] * 6, "only 6 clusters count; with so few, intervals are wide"),
        (
            [200] + [5] * 11,
            "12 clusters count, of 5 to 200 items, and weigh as much as 1.6 equal ones;",
        ),
    ],
)
def test_few_or_unequal_clusters_are_named_with_the_number_that_they_weigh_as_much_as(sizes, sentence):
    assert sentence in notes_of(sizes)


def test_the_number_of_clusters_is_in_the_json():
    interval = json.loads(notes_of([200] + [5] * 11))["metrics"]["m"]["interval"]
    assert (interval["clusters"], interval["method"]) == (12, "one-more")


def grouping_of(**columns):
    inputs = {"id": [str(item) for item in range(4)], **columns}
    results = EvaluationResults.from_dict(
        {"inputs": inputs, "metrics": [{"name": "m", "scores": [0, 1, 1, 0]}]}
    )
    return Grouping.of(results), results


def test_turns_of_one_conversation_are_clusters_by_default():
    grouping, results = grouping_of(conversation_id=["a", "a", "b", "b"])
    assert grouping.cluster == "conversation_id"
    assert "Items of one `conversation_id` are not independent" in results.individual_aggregate_score_report(
        "json"
    )
    assert Grouping.of(results, "").cluster is None


@pytest.mark.parametrize(
    "columns",
    [
        {"conversation_id": ["a", "b", "c", "d"]},
        {"conversation_id": ["a", "a", "b", None]},
        {"conversation_id": [["a"], ["a"], ["b"], ["b"]]},
    ],
)
def test_other_columns_of_conversations_are_not(columns):
    assert grouping_of(**columns)[0].cluster is None


def test_a_column_called_cluster_comes_first():
    assert grouping_of(conversation_id=["a", "a", "b", "b"], cluster=[1, 1, 1, 2])[0].cluster == "cluster"
