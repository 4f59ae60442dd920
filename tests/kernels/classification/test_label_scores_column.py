"""A column of scores as a matrix behaves, hashes and is stored as its dicts."""

import pickle
from copy import deepcopy

import numpy as np
import pyarrow as pa
import pytest

from thresher import InputError
from thresher.datasets import Dataset, read_labels
from thresher.datasets.texts import check_texts
from thresher.kernels.classification.label_scores_column import LabelScoresColumn
from thresher.metrics.classification.shared_matrix import as_matrix
from thresher.pipelines.input_columns import decode, encode
from thresher.results import FrozenColumn

NAMES = ["dog", "cat %s", 'a "fox"']


def column(items=7, seed=0):
    matrix = np.random.default_rng(seed).random((items, 3))
    matrix[: items // 2] = np.eye(3)[np.arange(items // 2) % 3]  # whole numbers
    return LabelScoresColumn(matrix, NAMES)


def dicts(scores):
    return FrozenColumn([dict(zip(NAMES, row, strict=True)) for row in scores.matrix.tolist()])


def test_it_behaves_as_a_frozen_column_of_dicts():
    scores = column()
    plain = dicts(scores)
    assert scores == plain
    assert plain == scores
    assert list(scores) == list(plain)
    assert (scores[2], scores[-1]) == (plain[2], plain[-1])
    assert scores[1:3] == plain[1:3]
    assert scores.take([3, 0]) == plain.take([3, 0])
    assert scores != column(seed=1)
    assert scores != dicts(scores)[:3]
    assert FrozenColumn.concatenate([scores, plain]) == [*plain, *plain]
    assert LabelScoresColumn.concatenate([scores, scores]) == [*plain, *plain]
    assert LabelScoresColumn.concatenate([scores, plain]) == [*plain, *plain]
    assert deepcopy(scores) is scores
    assert pickle.loads(pickle.dumps(scores)) == scores  # noqa: S301  # our own bytes
    assert (scores.missing(), len(scores)) == ([], 7)


def test_metrics_read_the_matrix_of_equal_dicts_too():
    scores = column()
    assert as_matrix(scores) is scores.scores
    np.testing.assert_array_equal(as_matrix(dicts(scores)).matrix, scores.matrix)


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [{}],
        [{"a": 0.5}, None],
        [{"a": 0.5}, {"b": 0.5}],
        [{"a": 0.5}, {"a": 1}],
        [{"a": float("nan")}],
        [{1: 0.5}],
        ["a", "b"],
    ],
)
def test_other_entries_are_left(entries):
    assert LabelScoresColumn.of_entries(entries) is None


@pytest.mark.parametrize("value", [None, 1e300, -0.0, float("inf")])
def test_fingerprints_are_those_of_dicts(value):
    scores = column(2500)
    if value is not None:
        scores = LabelScoresColumn(np.where(scores.matrix > 0.9, value, scores.matrix), NAMES)
    ids = list(map(str, range(len(scores))))
    matrix, plain = (Dataset(ids, {"predictions": entries}) for entries in (scores, dicts(scores)))
    assert matrix.fingerprint() == plain.fingerprint()


def test_run_directories_store_the_matrix():
    scores = column()
    array, form = encode(scores)
    again = decode(pa.chunked_array([array[:3], array[3:]]), form)
    assert isinstance(again, LabelScoresColumn)
    assert again == scores
    assert encode(again)[1] == form
    assert encode(dicts(scores))[1] == "json"


def test_half_characters_in_labels_are_refused():
    scores = LabelScoresColumn(np.ones((2, 1)), ["\ud83d"])
    with pytest.raises(InputError, match="holds half a character"):
        check_texts(Dataset(["a", "b"], {"predictions": scores}))


def test_complete_columns_of_scores_are_read_as_a_matrix():
    table = {"label": ["a", "b", "a"], "score_a": [0.5, 0.25, 1.0], "score_b": [0.5, 0.75, 0.0]}
    predictions = read_labels(table).column("predictions")
    assert isinstance(predictions, LabelScoresColumn)
    assert predictions[2] == {"a": 1.0, "b": 0.0}
    table["score_b"][1] = None
    predictions = read_labels(table).column("predictions")
    assert type(predictions) is FrozenColumn
    assert predictions[1] == {"a": 0.25}
    lists = {"label": ["a", "b"], "scores": [[0.5, 0.5], [0.25, 0.75]]}
    assert isinstance(read_labels(lists, labels=["a", "b"]).column("predictions"), LabelScoresColumn)
