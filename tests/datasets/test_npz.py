"""Archives of NumPy arrays as tables."""

import io
import zipfile

import numpy as np
import pytest

from thresher import InputError, read_dataset
from thresher.datasets import read_label_sets, read_labels

MATRIX = np.array([[0.75, 0.25, 0.0], [0.125, 0.5, 0.375]])
NAMES = np.array(["cat", "dog", "fox"])


def saved(tmp_path, save=np.savez, **arrays):
    save(tmp_path / "d.npz", **arrays)
    return tmp_path / "d.npz"


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_are_columns(tmp_path, save):
    data = saved(
        tmp_path,
        save,
        y_true=np.array([2, 0]),
        weight=np.array([0.5, np.nan], np.float32),
        text=np.array([b"a", "é".encode()]),
        day=np.array(["2024-01-02", "NaT"], "datetime64[ns]"),
        matrix=np.asfortranarray(MATRIX),
        epoch=np.array(3),
    )
    columns = read_dataset(data).columns
    assert list(columns) == ["y_true", "weight", "text", "day", "matrix"]
    assert columns["y_true"] == [2, 0]
    assert columns["weight"] == [0.5, None]
    assert columns["text"] == ["a", "é"]
    assert columns["matrix"] == MATRIX.tolist()
    assert [str(day)[:10] for day in columns["day"]] == ["2024-01-02", "None"]
    assert read_dataset(data, limit=1).column("y_true") == [2]
    assert read_dataset(io.BytesIO(data.read_bytes()), format="npz").columns == columns


def test_names_of_a_matrix_name_its_scores_and_the_positions_of_labels(tmp_path):
    expected = [dict(zip(NAMES.tolist(), row, strict=True)) for row in MATRIX.tolist()]
    for truths in (np.array([2, 0]), np.array(["fox", "cat"])):
        data = read_labels(saved(tmp_path, y_true=truths, probs=MATRIX, classes=NAMES))
        assert data.column("ground_truths") == ["fox", "cat"]
        assert data.column("predictions") == expected
    data = read_labels(saved(tmp_path, y_true=np.array([2, 0]), y_prob=MATRIX))
    assert data.column("ground_truths") == [2, 0]
    assert data.column("predictions")[0] == {"0": 0.75, "1": 0.25, "2": 0.0}


def test_label_sets_are_rows_of_0_and_1(tmp_path):
    marks = np.array([[1, 0, 1], [0, 0, 0]])
    archive = saved(tmp_path, y_true=marks, y_score=MATRIX, classes=NAMES)
    named = read_label_sets(archive)
    assert named.column("ground_truths")[0] == {"cat": 1, "dog": 0, "fox": 1}
    assert named.column("predictions")[1] == {"cat": 0.125, "dog": 0.5, "fox": 0.375}
    unnamed = saved(tmp_path, y_true=marks, y_score=np.vstack([MATRIX[1], [1.0, 0.0, 0.0]]))
    listed = read_label_sets(unnamed, labels=NAMES.tolist())
    assert listed.column("ground_truths") == named.column("ground_truths")
    assert listed.column("predictions")[1] == {"cat": 1.0, "dog": 0.0, "fox": 0.0}
    with pytest.raises(InputError, match="3 scores for unknown labels; give the labels in order"):
        read_label_sets(unnamed)
    of_labels = read_label_sets({"labels": [[1, 0], [0]], "scores": [[0.5, 0.25]] * 2}, labels=[0, 1])
    assert of_labels.column("ground_truths") == [["1", "0"], ["0"]]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"y_true": np.zeros(3), "y_prob": MATRIX},
            r"different numbers of rows \('y_true' 3, 'y_prob' 2x3\)",
        ),
        ({"y_true": np.array(["a", "b", "c"]), "y_prob": MATRIX}, r"\('y_true' 3, 'y_prob' 2x3\)"),
        ({"y_true": np.array(["a", None], object)}, "'y_true' has the type object; save numbers or texts"),
        ({"y_true": np.zeros(2, [("a", int)])}, "save numbers or texts"),
        ({"y_true": np.zeros(2, complex)}, "save numbers or texts"),
        ({"epoch": np.array(1)}, "no array with rows"),
        ({}, "no array with rows"),
        ({"text": np.array([b"\xff"])}, "cannot be read as an archive of NumPy"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, arrays, message):
    with pytest.raises(InputError, match=message):
        read_dataset(saved(tmp_path, **arrays))


def test_one_array_and_damaged_files_are_refused(tmp_path):
    np.save(tmp_path / "matrix.npy", MATRIX)
    with pytest.raises(InputError, match="one array without names; save true labels and predictions in one"):
        read_dataset(tmp_path / "matrix.npy")
    (tmp_path / "d.npz").write_bytes(b"no archive")
    with pytest.raises(InputError, match="cannot be read as an archive of NumPy: File is not a zip file"):
        read_dataset(tmp_path / "d.npz")


def test_a_header_cannot_promise_more_than_there_is(tmp_path):
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        content, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)}
    )
    with zipfile.ZipFile(tmp_path / "d.npz", "w") as archive:
        archive.writestr("y_true.npy", content.getvalue() + b"12345678")
    with pytest.raises(InputError, match="cannot be read as an archive of NumPy: buffer is smaller"):
        read_dataset(tmp_path / "d.npz")


def test_columns_of_scores_may_have_the_names_of_labels():
    table = {"label": ["a", "b"], "age": [0.5, 0.25], "a": [0.75, 0.5], "b": [0.25, 0.5]}
    data = read_labels(table)
    assert data.column("predictions") == [{"a": 0.75, "b": 0.25}, {"a": 0.5, "b": 0.5}]
    assert data.column("age") == [0.5, 0.25]
    for changed in ({"label": ["a", "c"]}, {"a": ["x", "y"]}, {"label": ["a", "a"]}):
        with pytest.raises(InputError, match="no column of predicted labels or scores"):
            read_labels(table | changed)
    decided = read_labels(table | {"predicted_label": ["b", "b"]})
    assert decided.column("predictions") == ["b", "b"]


def test_true_labels_may_be_positions_in_the_given_labels():
    table = {"label": [1, 0, None], "scores": [[0.25, 0.75]] * 3}
    with pytest.warns(UserWarning, match="read the true labels as positions in the labels"):
        data = read_labels(table, labels=["cat", "dog"])
    assert data.column("ground_truths") == ["dog", "cat", None]
    for labels in (["1", "0"], ["1", "x"]):
        assert list(read_labels(table | {"label": [1, 1, None]}, labels=labels).column("ground_truths")) == [
            1,
            1,
            None,
        ]
