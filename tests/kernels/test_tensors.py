"""Tensors of any framework are read by their methods and protocols."""

import numpy as np
import pandas as pd
import pytest

from kernels.detection.test_outputs import ByDlpack, ByProtocol, Torch
from thresher import evaluate
from thresher.components.classification import ClassificationRocAucEvaluator
from thresher.components.segmentation import SegmentationMeanIouEvaluator
from thresher.errors import InputError
from thresher.kernels.tensors import as_array, is_tensor, without_tensors

TENSORS = [Torch, ByProtocol, ByDlpack]
MATRIX = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]


@pytest.mark.parametrize("tensor", TENSORS)
def test_tensors_of_classification(tensor):
    """Columns that are tensors, and lists of tensors, one per item."""
    expected = ClassificationRocAucEvaluator().run([0, 1, 1], np.array(MATRIX))["score"]
    for truths in (tensor([0, 1, 1]), [tensor(0), tensor(1), tensor(1)]):
        for scores in (tensor(MATRIX), [tensor(row) for row in MATRIX]):
            assert ClassificationRocAucEvaluator().run(truths, scores)["score"] == expected == 1.0


@pytest.mark.parametrize("tensor", TENSORS)
def test_label_maps_of_transformers(tensor):
    truths, predictions = [tensor([[0, 1], [1, 1]])], [tensor([[0, 1], [0, 1]])]
    expected = SegmentationMeanIouEvaluator().run([np.array([[0, 1], [1, 1]])], [np.array([[0, 1], [0, 1]])])[
        "score"
    ]
    assert SegmentationMeanIouEvaluator().run(truths, predictions)["score"] == expected


@pytest.mark.parametrize("tensor", TENSORS)
def test_tensors_in_data_are_stored_as_arrays(tensor, tmp_path):
    """A run stores its inputs, so columns and entries that are tensors become plain data."""
    labelled = {"y_true": tensor([0, 1, 1]), "probabilities": tensor(MATRIX)}
    results = evaluate(["classification_roc_auc"], labelled, out=tmp_path / "a")
    assert results.metrics["classification_roc_auc"].value == 1.0
    image = {"boxes": tensor([[0.0, 0, 9, 9]]), "labels": tensor([1])}
    objects = {
        "ground_truths": [{**image, "image_id": 3, "iscrowd": tensor([0])}],
        "predictions": [{**image, "scores": tensor([0.5])}],
    }
    assert evaluate(["detection_f1"], objects, out=tmp_path / "b").metrics["detection_f1"].value == 1.0


def test_numbers_of_16_bits_that_numpy_lacks_become_floats():
    class BFloat16:
        dtype = "torch.bfloat16"

        def float(self):
            return Torch([0.5], "cpu")

        def numpy(self):
            raise TypeError("Got unsupported ScalarType BFloat16")

    assert as_array(BFloat16(), "scores").tolist() == [0.5]


def test_what_is_no_tensor_stays():
    for column in (np.zeros(2), [1, "a", None], pd.Series([1, 2])):
        assert not is_tensor(column)
        assert without_tensors(column, "x") is column
    entries = [{"a": 0.5}, np.float32(0.5), Torch(3)]
    assert without_tensors(entries, "x") == [{"a": 0.5}, np.float32(0.5), 3]


def test_arrays_of_cupy_leave_the_gpu_by_get():
    class Cupy(ByDlpack):
        __dlpack__ = None

        def get(self):
            return self.values

    assert as_array(Cupy([1, 2]), "x").tolist() == [1, 2]


def test_a_tensor_that_cannot_be_converted_is_named():
    class Meta(Torch):
        def detach(self):
            raise NotImplementedError("no data")

    with pytest.raises(
        InputError, match=r"boxes: Meta cannot become a numpy array \(no data\); convert it f"
    ):
        as_array(Meta([1]), "boxes")
