"""One measure of several systems over the same items."""

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.kernels.inference.many_systems import SystemScores, all_pairs, contrasts
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics, recorded_result

SCORES = [[0.5, None, 1.0, 0.25], [1.0, 0.5, None, 0.25]]


def recorded(scores, **options):
    return Target(recorded_result("m", scores, **options), "m")


def test_scores_of_results():
    made = SystemScores.of([recorded(scores, bounds=(0, 1)) for scores in SCORES], ["a", "b"])
    assert (made.measure, made.names, made.bounds, made.direction) == ("m", ("a", "b"), (0.0, 1.0), "higher")
    assert np.nan_to_num(made.scores, nan=-1).T.tolist() == [[0.5, -1, 1, 0.25], [1, 0.5, -1, 0.25]]
    assert made.values == pytest.approx([1.75 / 3, 1.75 / 3])
    assert (len(made), made.common, made.complete.tolist()) == (2, 2, [True, False, False, True])
    assert SystemScores.of([recorded(scores) for scores in SCORES]).names == ("1", "2")


def test_a_mask_leaves_items_out():
    counted = np.array([True, True, True, False])
    targets = [recorded(scores) for scores in SCORES]
    made = SystemScores.of([target.over(counted) for target in targets])
    assert made.values == pytest.approx([0.75, 0.75])


def test_repeats_are_averaged_over_those_that_are_scored():
    made = SystemScores.of([recorded(scores) for scores in SCORES], repeats=["x", "x", "y", "y"])
    assert made.scores.tolist() == [[0.5, 0.75], [0.625, 0.25]]


def test_lower_may_be_better():
    made = SystemScores.of([recorded(scores, direction="lower") for scores in SCORES])
    assert (made.direction, made.sign) == ("lower", -1)


def test_some_systems_in_another_order():
    table = np.random.default_rng(1).normal(size=(20, 3))
    scores = SystemScores.of_scores(table, ["a", "b", "c"], clusters=np.arange(20) // 2)
    made = scores.select([2, 0])
    assert made.names == ("c", "a")
    assert made.values.tolist() == table[:, [2, 0]].mean(axis=0).tolist()
    whole, part = (contrasts(side, all_pairs(len(side)), draws=99) for side in (scores, made))
    assert part.standard_error[0] == pytest.approx(whole.standard_error[1])
    assert part.estimate[0] == pytest.approx(-whole.estimate[1])


def ratio(items):
    measure = Measure(Signature.of("m", {}), RatioOfSums((("a", 1.0),), (("b", 1.0),)), None)
    columns = {"a": np.arange(items), "b": np.arange(items) + 1.0}
    return Target(MetricResult([measure], Statistics(columns)), "m")


def test_a_value_that_no_item_shares_is_refused():
    mask = np.arange(6) < 3
    with pytest.raises(InputError, match="no item has a score of m from all 2 systems"):
        SystemScores.of([ratio(6).over(mask), ratio(6).over(~mask)])


def test_influences_sum_to_zero_and_can_be_selected():
    made = SystemScores.of([ratio(6), ratio(6).over(np.arange(6) != 2), ratio(6)])
    assert made.scores is None
    assert made.common == made.influences.items == 5
    assert made.influences.parts.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    assert made.influences.parts[2].tolist() == [0, 0, 0], "an item that is not common has no influence"
    assert made.select([1]).influences.parts.shape == (6, 1)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([recorded([1.0])], "1 system cannot be compared; give two or more"),
        ([recorded([1.0]), recorded([1.0, 0.0])], "m: 1 and 2 items; join the runs first"),
        ([recorded([1.0] * 6), ratio(6)], "m and m are different measures; give one measure"),
        ([recorded([1.0]), recorded([1.0], direction="lower")], "different measures"),
    ],
)
def test_targets_must_fit(targets, message):
    with pytest.raises(InputError, match=message):
        SystemScores.of(targets)


def test_names_and_tables_must_fit():
    targets = [recorded(scores) for scores in SCORES]
    with pytest.raises(InputError, match="3 names for 2 systems; give one per system"):
        SystemScores.of(targets, ["a", "b", "c"])
    with pytest.raises(InputError, match=r"scores of shape \(3, 1\)"):
        SystemScores.of_scores(np.ones((3, 1)))
    with pytest.raises(InputError, match="one name per system and one cluster per item"):
        SystemScores.of_scores(np.ones((3, 2)), clusters=[1, 2])
    with pytest.raises(InputError, match="clusters has 1 entry for 4 items"):
        SystemScores.of(targets, clusters=["a"])
