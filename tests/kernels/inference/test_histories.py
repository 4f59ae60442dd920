import numpy as np

from thresher.kernels.inference.histories import histories


def kinds(passed):
    return [(item.kind, item.since) for item in histories(np.array(passed, dtype=float))]


def test_items_that_fail_together_from_a_run_on():
    rng = np.random.default_rng(1)
    passed = (rng.random((100, 12)) < 0.97).astype(float)
    passed[:6, :8], passed[:6, 8:] = 1, 0
    passed[6:9, :8], passed[6:9, 8:] = 0, 1
    known = kinds(passed)
    assert known[:6] == [("fails since", 8)] * 6
    assert known[6:9] == [("passes since", 8)] * 3
    assert all(since is None for _, since in known[9:])
    (first, *_) = histories(passed)
    assert (first.passes, first.runs) == (8, 12)


def test_flaky_items_do_not_fail_since_a_run():
    rng = np.random.default_rng(2)
    claims = 0
    for _ in range(12):
        passed = rng.random((30, 10)) < rng.beta(2.2, 0.7, (30, 1))
        claims += any(kind == "fails since" for kind, _ in kinds(passed))
    assert claims <= 3  # 5 % of series, and three standard errors


def test_items_without_enough_runs():
    nan = np.nan
    assert kinds([[nan, nan, 0], [1, nan, nan], [nan, nan, nan], [1, nan, 0], [nan, 1, 1]]) == [
        ("new", None),
        ("steady pass", None),
        ("unscored", None),
        ("new", None),
        ("new", None),
    ]
    assert kinds([[1, 1], [0, 1]]) == [("steady pass", None), ("flaky", None)]
    assert kinds(np.zeros((0, 4))) == []
