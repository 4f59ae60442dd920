import numpy as np
import pytest
from scipy.stats import rankdata

from reports.html.cases import pair
from thresher import EvaluationResults
from thresher.reports.html.items.joined import joined_items
from thresher.reports.html.items.selection import SelectableItems
from thresher.results import Statistics

WORST, REGRESSION, UNSCORED, SAMPLE = 1, 2, 4, 8


def made(name, scores, direction="higher"):
    metrics = [{"name": "hit", "scores": scores, "direction": direction}]
    return EvaluationResults.from_dict(
        {"inputs": {"id": list(map(str, range(len(scores))))}, "metrics": metrics}, name
    )


def chosen(runs, most, seed=1):
    names = [run.name for run in runs]
    return SelectableItems(runs, joined_items(runs, names), most, seed).select(most)


def test_nothing_is_left_out_where_all_fit():
    found = chosen(pair(), 30)
    assert found.rows.tolist() == list(range(30))
    assert found.why is None
    assert found.counts() == {}


def test_a_third_is_a_random_sample_and_the_rest_are_the_worst():
    found = chosen([made("a", [item / 300 for item in range(300)])], 30)
    assert len(found.rows) == 30
    assert found.counts() == {"worst": 20, "regression": 0, "no score": 0, "random sample": 10}
    worst = found.rows[(found.why & WORST) > 0]
    sample = set(found.rows[(found.why & SAMPLE) > 0].tolist())
    assert sorted(sample | set(worst.tolist()))[:20] == list(range(20))


def test_lower_scores_are_the_best_where_lower_is_better():
    found = chosen([made("a", [item / 300 for item in range(300)], "lower")], 30)
    assert found.rows[(found.why & WORST) > 0].min() > 250


def test_items_that_lost_most_are_in():
    scores = [0.5 + item / 1000 for item in range(300)]
    other = [score - (0.4 if item in (100, 200) else 0) for item, score in enumerate(scores)]
    found = chosen([made("a", scores), made("b", other)], 30)
    regressed = set(found.rows[(found.why & (REGRESSION | SAMPLE)) > 0].tolist())
    assert {100, 200} <= regressed


def test_items_without_a_score_are_in():
    found = chosen([made("a", [None if item == 250 else item / 300 for item in range(300)])], 30)
    assert found.why[found.rows.tolist().index(250)] & (UNSCORED | SAMPLE)


def test_zeros_do_not_come_in_by_the_order_of_the_file():
    graded, binary = [item / 300 for item in range(300, 0, -1)], [float(item % 2) for item in range(300)]
    plain = made("a", graded).to_dict()
    data = {"inputs": plain["inputs"], "metrics": [*plain["metrics"]]}
    data["metrics"].append({"name": "right", "scores": binary})
    found = chosen([EvaluationResults.from_dict(data)], 30)
    assert found.rows[(found.why & WORST) > 0].min() > 250


def test_the_sample_is_that_of_the_seed():
    run = [made("a", np.linspace(0, 1, 500).tolist())]
    assert chosen(run, 60, 1).rows.tolist() == chosen(run, 60, 1).rows.tolist()
    assert chosen(run, 60, 1).rows.tolist() != chosen(run, 60, 2).rows.tolist()


def random_runs(rng, *, same_items):
    """Two runs of three metrics with many equal scores, different scores, and missing ones."""
    runs = []
    for name in ("a", "b"):
        items = np.arange(300) if same_items or name == "a" else rng.permutation(330)[:280]
        metrics = [
            {"name": "hit", "scores": rng.integers(0, 2, len(items)).astype(float).tolist()},
            {
                "name": "grade",
                "scores": [None if rng.random() < 0.1 else float(x) for x in rng.random(len(items))],
            },
            {"name": "cost", "scores": rng.random(len(items)).round(1).tolist(), "direction": "lower"},
        ]
        inputs = {"id": [f"i{item}" for item in items]}
        runs.append(EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name))
    return runs


def of_whole_vectors(runs, most, seed):
    """The selection, from ranks of whole vectors of scores: items, and the reason of each."""
    items = joined_items(runs, [run.name for run in runs])
    size = len(items.ids)
    goodness = [
        [
            np.where(places >= 0, sign * run.metrics[name].scores[places], np.nan)
            for run, places in zip(runs, items.places.T, strict=True)
        ]
        for name, sign in (("hit", 1), ("grade", 1), ("cost", -1))
    ]
    why = np.zeros(size, np.uint8)
    why[np.random.default_rng(seed).choice(size, most // 3, replace=False)] = SAMPLE
    unscored = np.zeros(size, bool)
    for run, places in zip(runs, items.places.T, strict=True):
        unscored |= (places >= 0) & (run.metrics["grade"].result.status[places] > 0)
    why[np.flatnonzero(unscored & (why == 0))[: most // 10]] = UNSCORED
    gains = [other - first for first, *others in goodness for other in others]
    worst = [column for columns in goodness for column in columns]
    for columns, bit, parts in ((gains, REGRESSION, 2), (worst, WORST, 1)):
        quota = (most - np.count_nonzero(why)) // parts
        ranks = []
        for column in columns:
            ranks.append(np.full(size, np.inf))
            ranks[-1][~np.isnan(column)] = rankdata(column[~np.isnan(column)])
        best = np.min(ranks, axis=0)
        total = np.sum(np.where(np.isinf(ranks), size, ranks), axis=0)
        order = np.lexsort((total, best))
        why[order[(why[order] == 0) & np.isfinite(best[order])][:quota]] = bit
    return np.flatnonzero(why).tolist(), why[why > 0].tolist()


@pytest.mark.parametrize("same_items", [True, False])
@pytest.mark.parametrize("block", [None, 7, 50])
def test_the_selection_of_blocks_is_that_of_whole_vectors(monkeypatch, same_items, block):
    for seed in range(4):
        runs = random_runs(np.random.default_rng(seed), same_items=same_items)
        expected = [of_whole_vectors(runs, most, seed) for most in (90, 60, 12)]
        with monkeypatch.context() as patch:
            if block:
                patch.setattr(Statistics, "WHOLE", block)
                patch.setattr(Statistics, "BLOCK", block)
            selectable = SelectableItems(runs, joined_items(runs, ["a", "b"]), 90, seed)
            selections = [selectable.select(most) for most in (90, 60, 12)]
        assert [(found.rows.tolist(), found.why.tolist()) for found in selections] == expected
