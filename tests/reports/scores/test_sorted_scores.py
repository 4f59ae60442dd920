import gc

import numpy as np
import pytest
from scipy.stats import rankdata

from thresher.files import sorted_pairs
from thresher.reports.scores import scores_on_disk
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


@pytest.fixture(params=["in memory", "on disk"])
def case(request, monkeypatch):
    """Columns, and what sorting them block by block returns, with all scores in memory or few of them."""
    if request.param == "on disk":
        monkeypatch.setattr(Statistics, "WHOLE", 40)
        monkeypatch.setattr(scores_on_disk, "_CHUNK", 7)
    arrays = columns()
    return list(zip(arrays, sort_columns(lambda: blocks_of(arrays)), strict=True))


def test_distinct_scores_and_counts_are_those_of_the_whole_column(case):
    for array, scores in case:
        values, counts = np.unique(array[~np.isnan(array)], return_counts=True)
        assert [scores.values[place] for place in range(len(scores.values))] == values.tolist()
        assert [scores.ends[place] for place in range(len(scores.ends))] == np.cumsum(counts).tolist()
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
        ranks = [scores.ranks(rows, block) for rows, (block,) in blocks_of([array], 11)]
        assert np.concatenate(ranks).tolist() == expected.tolist()


def test_scores_that_are_sorted_in_many_runs_with_many_equal_ones(monkeypatch):
    monkeypatch.setattr(Statistics, "WHOLE", 2)
    monkeypatch.setattr(sorted_pairs.SortedPairs.__init__, "__defaults__", (5,))
    array = np.random.default_rng(0).integers(0, 4, ITEMS).astype(float)
    (scores,) = sort_columns(lambda: blocks_of([array]))
    assert scores.ranks(slice(0, ITEMS), array).tolist() == rankdata(array).tolist()
    assert [scores.at(place) for place in range(ITEMS)] == np.sort(array).tolist()


def test_the_files_are_deleted_with_the_scores(monkeypatch, tmp_path):
    monkeypatch.setattr(Statistics, "WHOLE", 40)
    folders = []

    def folder():
        folders.append(tmp_path / str(len(folders)))
        folders[-1].mkdir()
        return folders[-1]

    monkeypatch.setattr(scores_on_disk, "temporary_folder", folder)
    arrays = columns()
    scores = sort_columns(lambda: blocks_of(arrays))
    assert len(folders) == 3
    assert all(path.is_dir() for path in folders)
    del scores
    gc.collect()
    assert not any(path.is_dir() for path in folders)


def test_the_lower_quantiles_of_random_columns_are_those_of_numpy():
    rng = np.random.default_rng(9)
    for size in range(1, 200):
        column = rng.normal(size=size)
        scores = SortedScores.of(column)
        assert [scores.quantile(share) for share in (0.25, 0.5, 0.75)] == np.percentile(
            column, [25, 50, 75]
        ).tolist()
