"""Values on items that a threshold was not chosen on: by hand, and in simulations."""

from dataclasses import astuple

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.inference import BestF, LeastCost, RecallAtPrecision, Target, Youden, estimate
from thresher.kernels.thresholds.best_threshold import BestThreshold
from thresher.kernels.thresholds.decisions import ranked_decisions
from thresher.kernels.thresholds.held_out import HeldOut, held_out_statistics, label_limits
from thresher.kernels.thresholds.splits import SplitPlan
from thresher.results import Label, Measure, MetricResult, Ragged, Signature, Statistics


def statistics_of(items, labels=("a", "b")):
    """Items are (decisions (label, score, hit), true labels)."""
    decisions = [decision for mine, _ in items for decision in mine]
    columns = list(zip(*decisions, strict=True)) or [(), (), ()]
    codes = {label: code for code, label in enumerate(labels)}
    return Statistics(
        {},
        {
            "decisions": Ragged(
                [len(mine) for mine, _ in items],
                {
                    "label": np.array([codes[label] for label in columns[0]], np.int8),
                    "score": np.array(columns[1], float),
                    "hit": np.array(columns[2], np.uint8),
                },
            ),
            "truths": Ragged(
                [len(true) for _, true in items],
                {"label": np.array([codes[label] for _, true in items for label in true], np.int8)},
            ),
        },
        [Label.of(label) for label in labels],
        ("decisions.label", "truths.label"),
    )


HALF, OTHER = (
    [([("a", 0.9, 1), ("a", 0.5, 0)], ["a"]), ([("b", 0.4, 1)], ["b"])],
    [([("a", 0.6, 1), ("a", 0.8, 0)], ["a"]), ([("b", 0.3, 1), ("b", 0.35, 0)], ["b", "b"])],
)
ONE_WAY = np.array([True, True, False, False])


def test_by_hand_one_threshold_is_applied_to_the_other_part():
    statistics = statistics_of(HALF + OTHER)
    held_out, seen = held_out_statistics(statistics, BestF(), "micro", [(ONE_WAY, ~ONE_WAY)])
    assert seen.tolist() == [False, False, True, True]
    # On the first half: at 0.9 F = 2/3, at 0.4 two hits, one error: F = 4/5. So 0.4 is kept.
    # On the second: 0.6 is a hit, 0.8 an error, the others are dropped; 3 are true.
    value = HeldOut()(held_out, seen.astype(float))
    assert value == pytest.approx(2 * 1 / (2 + 3))
    assert HeldOut("precision")(held_out, seen.astype(float)) == 0.5
    assert HeldOut("recall")(held_out, seen.astype(float)) == pytest.approx(1 / 3)


def test_by_hand_each_label_has_its_own_threshold():
    statistics = statistics_of(HALF + OTHER)
    limits = label_limits(ranked_decisions(statistics), BestF(), "per_label", ONE_WAY.astype(float))
    assert limits.tolist() == [0.9, 0.4]
    held_out, seen = held_out_statistics(statistics, BestF(), "per_label", [(ONE_WAY, ~ONE_WAY)])
    assert HeldOut("f", 1.0, pooled=False)(held_out, seen.astype(float)) == 0.0


def test_a_label_without_a_threshold_that_helps_gets_that_of_all_labels():
    first = [([("a", 0.7, 1)], ["a"]), ([("b", 0.9, 0)], ["b"])]
    ranked = ranked_decisions(statistics_of(first, labels=("a", "b", "new")))
    each = label_limits(ranked, BestF(), "per_label", np.ones(2))
    assert each.tolist() == [0.7, 0.7, 0.7]
    floor = label_limits(ranked, RecallAtPrecision(0.5), "per_label", np.ones(2))
    assert floor.tolist() == [0.7, np.inf, 0.7]


def test_costs_and_youden_by_hand():
    items = [
        ([("a", 0.9, 1), ("b", 0.1, 0)], ["a"]),
        ([("a", 0.6, 0), ("b", 0.4, 1)], ["b"]),
        ([("a", 0.5, 1), ("b", 0.5, 0)], ["a"]),
        ([("a", 0.2, 0), ("b", 0.8, 1)], ["b"]),
    ]
    statistics, every = statistics_of(items), np.ones(4)
    part = [(every > 0, every > 0)]
    # Of a: from 0.9 on one is missed, from 0.5 on one is wrong.
    for objective, limit, quantity, value in [
        (LeastCost(1, 5), 0.5, "cost", 1 / 4),
        (LeastCost(5, 1), 0.9, "cost", 1 / 4),
        (LeastCost(5, 1, -2, -1), 0.9, "cost", (1 - 2 - 2) / 4),
        (LeastCost(1, 0), np.inf, "cost", 0.0),
        (Youden(), 0.9, "youden", 0.5),
    ]:
        limits = label_limits(ranked_decisions(statistics), objective, "per_label", every)
        assert limits[0] == limit
        held_out, _ = held_out_statistics(statistics, objective, "per_label", part)
        costs = astuple(objective) if quantity == "cost" else ()
        assert HeldOut(quantity, label=0, costs=costs)(held_out, every) == pytest.approx(value)
    held_out, _ = held_out_statistics(statistics, LeastCost(5, 1), "micro", part)  # 0.8: two of four missed
    assert HeldOut("cost", costs=(5.0, 1.0, 0.0, 0.0))(held_out, every) == 2 / 4


def test_values_of_labels_are_those_of_the_label_alone():
    statistics, _ = held_out_statistics(
        statistics_of(HALF + OTHER), BestF(), "micro", [(ONE_WAY, ~ONE_WAY), (~ONE_WAY, ONE_WAY)]
    )
    every = np.ones(4)
    values, truths = HeldOut(pooled=False).by_label(statistics, every[None])
    for code in range(2):
        alone = HeldOut(label=code)
        assert alone(statistics, every) == values[0, code]
        assert alone.by_label(statistics, every[None])[1].tolist() == [[truths[0, code]]]


def test_parts_divide_the_counted_items():
    counted = np.array([True] * 9 + [False])
    for plan in (SplitPlan(), SplitPlan(folds=3), SplitPlan(share=0.8, times=4)):
        times = np.zeros(10)
        for chosen, other in plan.parts(counted):
            assert not (chosen & other).any()
            assert ((chosen | other) == counted).all()
            times += other
        assert times[-1] == 0
        assert times[:-1].min() > 0 or plan.share == 0.8
    assert sum(1 for _ in SplitPlan().parts(counted)) == 40


def test_groups_are_not_divided():
    groups = ["x", "x", "y", "z", "z", "z"]
    for chosen, _ in SplitPlan(times=5).parts(np.ones(6, bool), groups):
        assert len(set(chosen[:2])) == len(set(chosen[3:])) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [({"share": 0.0}, "between 0 and 1"), ({"share": 1.0}, "between"), ({"folds": 1}, "at least 2")],
)
def test_impossible_plans_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        SplitPlan(**options)


def test_too_few_items_are_refused():
    with pytest.raises(InputError, match="2 items or clusters cannot be divided into 3 parts"):
        list(SplitPlan(folds=3).parts(np.ones(2, bool)))


def simulated(generator, items):
    """Images with true objects of three labels, of which most are detected, and false detections."""
    rows = []
    for _ in range(items):
        true = [
            str(label) for label in generator.choice(["a", "b", "c"], generator.poisson(2), p=[0.6, 0.3, 0.1])
        ]
        ease = generator.normal(0, 0.4)
        found = [(label, 0.8 + ease + generator.normal(), 1) for label in true if generator.random() < 0.75]
        wrong = [
            (str(generator.choice(["a", "b", "c"])), generator.normal(), 0)
            for _ in range(generator.poisson(2))
        ]
        rows.append((found + wrong, true))
    return statistics_of(rows, labels=("a", "b", "c"))


@pytest.mark.simulation
@pytest.mark.parametrize("average", ["micro", "per_label"])
def test_the_held_out_interval_covers_the_truth_and_the_chosen_value_is_too_high(average):
    """Of 100 samples; with coverage 0.95 fewer than 88 or all of them inside are rarer than 1 in 100."""
    generator = np.random.default_rng(7)
    population, search = simulated(generator, 1500), BestThreshold("f", 1.0, average)
    inside, chosen, honest = 0, [], []
    for seed in range(100):
        sample = simulated(generator, 40)
        limits = label_limits(ranked_decisions(sample), BestF(), average, np.ones(40))
        decisions = population.ragged["decisions"]
        kept = decisions.with_columns(
            {"kept": (decisions["score"] >= limits[decisions["label"]]).astype(float)}
        )
        known = Statistics({}, {**population.ragged, "decisions": kept}, population.labels, population.coded)
        reduction = HeldOut(pooled=average == "micro")
        truth = reduction(known, np.ones(1500))
        statistics, seen = held_out_statistics(
            sample, BestF(), average, SplitPlan(seed=seed, times=5).parts(np.ones(40, bool))
        )
        result = MetricResult([Measure(Signature.of("f", {}), reduction, None)], statistics)
        estimated = estimate(Target(result, "f", seen))
        inside += estimated.interval.low <= truth <= estimated.interval.high
        chosen.append(search(sample, np.ones(40)) - truth)
        honest.append(estimated.value - truth)
    error = np.std(honest) / 10
    assert 88 <= inside <= 100
    assert np.mean(chosen) > 4 * error
    assert abs(np.mean(honest)) < np.mean(chosen) / 2
