import copy
import json
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics, Status, SumReduction

MEASURE = Measure(Signature.of("hit", {"k": 5}))


def result(scores=(1.0, 0.0, 0.5), status=None, **parts):
    return MetricResult([MEASURE], Statistics({"score": list(scores)}), status, **parts)


def test_unscored_items_count_for_nothing():
    partly = result((1.0, 0.25, float("nan")), [0, 0, Status.UNDEFINED], reasons={2: "0/0"})
    assert partly.score == 0.625
    assert partly.n_scored == 2
    assert np.isnan(partly.item_scores()[2])


def test_the_value_of_nothing_is_not_zero():
    assert np.isnan(result((0.0,), [Status.FAILED]).score)
    assert np.isnan(result(()).score)


def test_weights_speak_of_all_items():
    partly = result((1.0, 0.0, 0.5), [0, Status.MISSING, 0])
    assert partly.value(weights=[3, 100, 1]) == 0.875
    with pytest.raises(InputError, match=r"weights of shape \(2,\) for 3 items"):
        partly.value(weights=[1, 1])
    assert np.isnan(partly.value(weights=[0, 0, 0]))


@dataclass(frozen=True)
class LargestShare(SumReduction):
    """A plug-in's reduction with its own `__call__` and a field without a hash."""

    kind = "test_largest_share"
    columns: list[str]

    def __call__(self, statistics, weights):
        scores = statistics[self.columns[0]] * weights
        return float(scores.max() / scores.sum())

    def terms(self, statistics):
        return statistics[self.columns[0]][:, None]

    def of_sums(self, sums):
        return sums[..., 0]


class SumOfSquares(LargestShare):
    """The same without its own `__call__`."""

    __call__ = SumReduction.__call__

    def terms(self, statistics):
        return statistics[self.columns[0]][:, None] ** 2


@pytest.mark.parametrize(("reduction", "value"), [(LargestShare, 0.5), (SumOfSquares, 0.375)])
@pytest.mark.parametrize("block", [1, 100])
def test_only_values_that_are_sums_are_added_up_in_blocks(reduction, value, block, monkeypatch):
    monkeypatch.setattr(Statistics, "WHOLE", block)
    monkeypatch.setattr(Statistics, "BLOCK", block)
    measure = Measure(Signature.of("share", {}), reduction(["score"]))
    assert MetricResult([measure], Statistics({"score": [0.25, 0.5, 0.25]})).score == value


@pytest.mark.parametrize("bad", [-3.0, float("nan"), float("inf")])
def test_weights_that_count_nothing_are_refused(bad):
    with pytest.raises(InputError, match="hit: weights must be finite numbers of at least 0"):
        result().value(weights=[1.0, bad, 1.0])


def test_weights_without_a_finite_sum_and_texts_are_refused():
    with pytest.raises(InputError, match=r"hit: weights up to 1e\+308 have no finite sum; divide all"):
        result().value(weights=[1e308, 1e308, 1.0])
    assert result().value(weights=[5e307, 5e307, 5e307]) == result().value()
    with pytest.raises(InputError, match="hit: weights are <U1; give numbers"):
        result().value(weights=["a", "b", "c"])


def test_parts_that_disagree_are_refused():
    with pytest.raises(InputError, match="2 statuses for 3 items"):
        result(status=[0, 0])
    with pytest.raises(InputError, match="1 piece of evidence for 3 items"):
        result(evidence=["one"])
    with pytest.raises(InputError, match="distinct names"):
        MetricResult([MEASURE, MEASURE], Statistics({"score": [1.0]}))
    with pytest.raises(InputError, match="unequal lengths"):
        Statistics({"score": [1.0], "other": [1.0, 2.0]})


def test_shards_make_the_whole():
    whole = result(status=[0, Status.FAILED, 0], reasons={1: "no answer"}, evidence=[1, None, 3])
    shards = [whole.take([0]), whole.take(np.array([False, True, True]))]
    merged = MetricResult.concatenate(shards)
    assert merged.to_dict() == whole.to_dict()


def test_shards_of_other_settings_do_not_mix():
    hits = [Measure(Signature.of("hit", {"k": k})) for k in (3, 4)]
    other, third = (MetricResult([hit], Statistics({"score": [1.0]})) for hit in hits)
    missed = MetricResult([Measure(Signature("missed"))], Statistics({"score": [1.0]}))
    with pytest.raises(InputError, match=r"different settings: .* is computed in one and not in another"):
        MetricResult.concatenate([missed, other])
    with pytest.raises(InputError, match="different settings: k is 3 in one and 4 in another"):
        MetricResult.concatenate([other, third])


def test_results_survive_files_copies_and_processes():
    stored = result(
        status=[0, Status.UNREADABLE, 0], reasons={1: "no verdict"}, evidence=[{"a": 1}, None, {}]
    )
    read = MetricResult.from_dict(json.loads(json.dumps(stored.to_dict(), allow_nan=False)))
    assert read.to_dict() == stored.to_dict()
    assert pickle.loads(pickle.dumps(stored)).to_dict() == stored.to_dict()  # noqa: S301
    assert copy.deepcopy(stored) is stored


def test_statistics_cannot_be_changed():
    given = np.array([1.0, 2.0])
    kept = Statistics({"score": given})
    given[0] = 9.0
    assert kept["score"].tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        kept["score"][0] = 3.0


def test_a_measure_without_item_scores_has_none():
    corpus = Measure(Signature.of("auc", {}), Mean("score"), item_score=None)
    assert np.isnan(MetricResult([corpus], Statistics({"score": [1.0]})).item_scores()).all()


def test_unknown_measures_are_listed():
    with pytest.raises(InputError, match="no measure 'mrr' here; there are hit"):
        result().value("mrr")


def test_parts_of_versions_that_name_rules_otherwise_are_joined():
    parts = [
        result(),
        MetricResult([replace(MEASURE, rule="by hand")], Statistics({"score": [1.0, 0.0, 0.5]})),
    ]
    assert MetricResult.concatenate(parts).score == 0.5
