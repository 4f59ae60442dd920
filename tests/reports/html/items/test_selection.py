import numpy as np
from scipy.stats import rankdata

from reports.html.cases import pair
from thresher import EvaluationResults
from thresher.reports.html.items.joined import joined_items
from thresher.reports.html.items.selection import _ranks, select_items

WORST, REGRESSION, UNSCORED, SAMPLE = 1, 2, 4, 8


def made(name, scores, direction="higher"):
    metrics = [{"name": "hit", "scores": scores, "direction": direction}]
    return EvaluationResults.from_dict(
        {"inputs": {"id": list(map(str, range(len(scores))))}, "metrics": metrics}, name
    )


def chosen(runs, most, seed=1):
    names = [run.name for run in runs]
    return select_items(runs, joined_items(runs, names), most, seed)


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


def test_equal_scores_share_the_middle_of_their_ranks():
    scores = np.array([0.5, 0.1, np.nan, 0.5, 0.5, 2.0, 0.1])
    ranks = rankdata(scores, method="average", nan_policy="omit")
    assert _ranks(scores).tolist() == np.where(np.isnan(ranks), np.inf, ranks).tolist()
