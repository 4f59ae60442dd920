"""Ragged and label-coded statistics: slices, shards with different labels, and both ways of storing them."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thresher.errors import InputError
from thresher.results import Measure, MetricResult, Reduction, Signature, Statistics, Status
from thresher.results.breakdown import Breakdown, Detail
from thresher.results.labels import Label, encode, vocabulary_of
from thresher.results.plain_results import described
from thresher.results.ragged import Ragged
from thresher.results.storage import from_arrow, to_arrow


@dataclass(frozen=True)
class ShareOfCats(Reduction):
    kind: ClassVar[str] = "test_share_of_cats"
    word: str = "cat"

    def __call__(self, statistics, weights):
        entries = statistics.ragged["animals"]
        each = weights[entries.owners]
        cats = entries["label"] == statistics.labels.index(Label.of(self.word))
        return float((each * cats).sum() / each.sum())


@dataclass(frozen=True)
class CountPerItem(Breakdown):
    kind: ClassVar[str] = "test_count_per_item"
    name: str = "count"

    def __call__(self, statistics, weights):
        entries = statistics.ragged["animals"]
        columns = {"item": list(range(statistics.size)), "animals": (entries.lengths * weights).tolist()}
        return Detail(self.name, "table", ("item",), columns)


def animals(*items):
    labels = vocabulary_of(Label.of(word) for item in items for word in item)
    codes = encode((Label.of(word) for item in items for word in item), labels)
    entries = Ragged([len(item) for item in items], {"label": codes, "box": np.ones((len(codes), 4))})
    first = encode([Label.of(item[0]) if item else None for item in items], labels)
    return Statistics({"first": first}, {"animals": entries}, labels, {"first", "animals.label"})


def words(statistics):
    return [str(statistics.labels[code]) for code in statistics.ragged["animals"]["label"]]


def result_of(statistics, **more):
    measure = Measure(Signature("cats"), ShareOfCats(), item_score=None)
    return MetricResult([measure], statistics, breakdowns=[CountPerItem()], **more)


ITEMS = (["dog", "cat"], [], ["ape"], ["cat", "cat", "yak"])


def test_shards_with_different_labels_make_the_statistics_of_the_whole():
    whole = animals(*ITEMS)
    joined = Statistics.concatenate([animals(*ITEMS[:2]), animals(*ITEMS[2:])])
    assert joined.labels == whole.labels
    assert joined["first"].tolist() == whole["first"].tolist() == [2, -1, 0, 1]
    for column in ("label", "box"):
        assert joined.ragged["animals"][column].tolist() == whole.ragged["animals"][column].tolist()
    assert words(joined) == ["dog", "cat", "ape", "cat", "cat", "yak"]


def test_a_slice_by_weights_equals_the_taken_items():
    whole = result_of(animals(*ITEMS))
    mask = np.array([True, False, False, True])
    assert whole.value() == 0.5
    assert whole.value(weights=mask) == whole.take(mask).value() == 0.6


def test_shards_must_keep_the_same_columns():
    with pytest.raises(InputError, match="shards have different statistics"):
        Statistics.concatenate([animals(*ITEMS), Statistics({"first": [1]})])


def test_what_is_built_once_is_kept_per_statistics():
    statistics = animals(*ITEMS)
    calls = []
    for _ in range(2):
        assert statistics.memo("order", lambda: calls.append(1) or "built") == "built"
    assert calls == [1]
    assert statistics.take([0]).memo("order", lambda: "again") == "again"


def test_details_name_items_by_their_place_in_the_result():
    status = [Status.SCORED, Status.MISSING, Status.SCORED, Status.SCORED]
    detail = result_of(animals(*ITEMS), status=status).detail("count", [1, 1, 1, 2])
    assert list(detail.rows()) == [
        {"item": 0, "animals": 2.0},
        {"item": 2, "animals": 1.0},
        {"item": 3, "animals": 6.0},
    ]


def test_an_unknown_breakdown_is_named():
    with pytest.raises(InputError, match="cats has no breakdown 'curve'; there are: count"):
        result_of(animals(*ITEMS)).detail("curve")


def test_json_keeps_everything():
    result = result_of(animals(*ITEMS), status=[0, 4, 0, 0], reasons={1: "no entry"})
    again = MetricResult.from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert again.value() == result.value() == 0.5
    assert words(again.statistics) == words(result.statistics)
    assert again.statistics["first"].dtype == result.statistics["first"].dtype
    assert again.detail().to_dict() == result.detail().to_dict()
    assert again.breakdowns == result.breakdowns


def test_parquet_keeps_everything(tmp_path):
    result = result_of(animals(*ITEMS))
    pq.write_table(pa.table(to_arrow(result)), tmp_path / "part.parquet", row_group_size=2)
    table = pq.read_table(tmp_path / "part.parquet")
    description = json.loads(json.dumps(described(result)))
    again = from_arrow(description, {name: table.column(name) for name in table.column_names})
    assert words(again.statistics) == words(result.statistics)
    assert again.statistics.ragged["animals"]["box"].shape == (6, 4)
    assert again.value() == result.value()


def test_results_of_shards_concatenate_with_their_breakdowns():
    parts = [result_of(animals(*ITEMS[:2])), result_of(animals(*ITEMS[2:]))]
    whole = MetricResult.concatenate(parts)
    assert whole.value() == 0.5
    assert whole.detail().columns["item"] == [0, 1, 2, 3]
