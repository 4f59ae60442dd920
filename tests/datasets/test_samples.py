"""Samples of items by the digests of their ids."""

import pickle

import numpy as np
import pytest

import thresher
from thresher import InputError
from thresher.datasets import Dataset, read_dataset, sample

ALL = read_dataset({"id": [f"i{n}" for n in range(25_000)], "score": list(range(25_000))})


@pytest.mark.parametrize("size", [1, 7, 500, 24_999])
def test_a_sample_has_its_size_in_the_order_of_the_data(size):
    drawn = sample(ALL, size)
    assert len(drawn) == size
    assert drawn.sampled_from == len(ALL)
    scores = list(drawn.column("score"))
    assert scores == sorted(scores)
    assert [f"i{score}" for score in scores] == list(drawn.ids)


def test_the_ids_alone_decide_not_the_order_the_entries_or_the_blocks(monkeypatch):
    drawn = sample(ALL, 300)
    order = np.random.default_rng(1).permutation(len(ALL)).tolist()
    shuffled = Dataset([ALL.ids[place] for place in order], {"other": order})
    assert set(sample(shuffled, 300).ids) == set(drawn.ids)
    monkeypatch.setattr("thresher.datasets.samples._BLOCK", 333)
    assert sample(ALL, 300) == drawn


def test_a_smaller_sample_is_part_of_a_larger_one():
    assert set(sample(ALL, 50).ids) < set(sample(ALL, 5_000).ids)


def test_a_sample_is_not_a_prefix_and_looks_like_the_whole():
    scores = np.array(sample(ALL, 2_000).column("score"))
    assert abs(scores.mean() - 12_499.5) < 4 * 25_000 / np.sqrt(12 * 2_000)


def test_a_sample_of_all_items_is_the_data_itself():
    assert sample(ALL, len(ALL)) is ALL
    assert sample(ALL, len(ALL) + 1) is ALL


@pytest.mark.parametrize("size", [0, -1, 2.0, True])
def test_a_size_below_one_is_refused(size):
    with pytest.raises(InputError, match="give a whole number of at least 1"):
        sample(ALL, size)


def test_a_copy_knows_from_how_many_items_it_was_drawn():
    assert pickle.loads(pickle.dumps(sample(ALL, 5))).sampled_from == len(ALL)  # noqa: S301  # our own


@pytest.mark.parametrize("folder", [False, True])
def test_reports_of_a_sample_say_what_their_intervals_describe(folder, tmp_path):
    data = {"response": ["a", "b"] * 40, "reference": ["a", "b"] * 40}
    out = tmp_path / "run" if folder else None
    whole, part = read_dataset(data), sample(read_dataset(data), 20)
    said = "A sample of 20 of 80 items, drawn by the digests of their ids: intervals describe the items from"
    results = thresher.evaluate("exact_match", part, out=out)
    assert said in results.individual_aggregate_score_report("table")
    assert "A sample of" not in thresher.evaluate("exact_match", whole).individual_aggregate_score_report(
        "table"
    )


def test_a_sample_of_labels_is_known_as_one():
    data = read_dataset({"ground_truths": ["yes", "no"] * 40, "predictions": ["yes", "yes"] * 40})
    assert thresher.evaluate("classification_accuracy", sample(data, 20)).provenance["sampled_from"] == 80
