import numpy as np
import pytest
from scipy.stats import rankdata

from thresher.reports.scores.sorted_scores import SortedScores, sort_columns
from thresher.results import Statistics

ITEMS = 500


def columns():
    rng = np.random.default_rng(4)
    few = rng.integers(0, 3, ITEMS).astype(float)
    graded = rng.normal(size=ITEMS).round(2)
    fine = rng.random(ITEMS) - 0.5
    late = np.where(np.arange(ITEMS) < 400, np.nan, fine)
    for column in (graded, fine):
        column[rng.random(ITEMS) < 0.3] = np.nan
    return [few, graded, fine, late, np.full(ITEMS, np.nan), np.array([0.0, -0.0] * (ITEMS // 2))]


def blocks_of(arrays, size=30):
    for start in range(0, ITEMS, size):
        rows = slice(start, min(start + size, ITEMS))
        yield rows, [array[rows] for array in arrays]


@pytest.fixture(params=[100_000, 40], ids=["merged once", "merged often"])
def case(request, monkeypatch):
    """Columns, and what sorting them block by block returns."""
    monkeypatch.setattr(Statistics, "WHOLE", request.param)
    arrays = columns()
    return list(zip(arrays, sort_columns(blocks_of(arrays)), strict=True))


def test_distinct_scores_and_counts_are_those_of_the_whole_column(case):
    for array, scores in case:
        values, counts = np.unique(array[~np.isnan(array)], return_counts=True)
        assert scores.values.tolist() == values.tolist()
        assert scores.ends.tolist() == np.cumsum(counts).tolist()
        assert scores.count == counts.sum()
        assert scores.mean == pytest.approx(np.nanmean(array) if len(values) else np.nan, nan_ok=True)


def test_quantiles_medians_and_histograms_are_those_of_numpy(case):
    for array, scores in case:
        known = array[~np.isnan(array)]
        if not len(known):
            continue
        for percent in (0, 25, 50, 75, 90, 100):
            assert scores.quantile(percent / 100) == np.percentile(known, percent)
        assert scores.median == np.median(known)
        edges = np.linspace(known.min(), known.max() + 0.1, 9)
        assert scores.histogram(edges.tolist()) == np.histogram(known, edges)[0].tolist()
        assert scores.below(known[0]) == (known < known[0]).sum()
        assert scores.up_to(known[0]) == (known <= known[0]).sum()


def test_equal_scores_share_the_mean_of_their_ranks(case):
    for array, scores in case:
        expected = np.full(ITEMS, np.inf)
        known = ~np.isnan(array)
        expected[known] = rankdata(array[known])
        ranks = [scores.ranks(block) for _, (block,) in blocks_of([array], 11)]
        assert np.concatenate(ranks).tolist() == expected.tolist()


def test_the_lower_quantiles_of_random_columns_are_those_of_numpy():
    rng = np.random.default_rng(9)
    for size in range(1, 200):
        column = rng.normal(size=size)
        scores = SortedScores.of(column)
        assert [scores.quantile(share) for share in (0.25, 0.5, 0.75)] == np.percentile(
            column, [25, 50, 75]
        ).tolist()
