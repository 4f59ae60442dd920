import numpy as np
import pytest
from PIL import Image

from thresher.components.segmentation import SegmentationMeanIouEvaluator
from thresher.datasets.masks import read_label_maps
from thresher.errors import InputError


def folder_of(folder, **maps):
    folder.mkdir()
    for name, values in maps.items():
        Image.fromarray(np.array(values, np.uint8)).save(folder / f"{name}.png")
    return folder


def test_folders_of_maps_are_read_image_by_image(tmp_path):
    truths = folder_of(tmp_path / "truth", b=[[1, 1, 2]], a=[[1, 2]], c=[[1]])
    found = folder_of(tmp_path / "found", a=[[1, 2]], b=[[1, 2, 2]])
    data = read_label_maps(truths, found)
    assert list(data.ids) == ["a", "b", "c"]
    sockets = {name: data.column(name) for name in ("ground_truths", "predictions")}
    result = SegmentationMeanIouEvaluator().run(**sockets)["result"]
    assert result.score == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert result.reasons == {2: "no entry in predictions"}
    assert "predictions" not in read_label_maps(truths).columns


def test_what_does_not_fit_is_named(tmp_path):
    truths, found = folder_of(tmp_path / "truth", a=[[1]]), folder_of(tmp_path / "found", b=[[1]])
    with pytest.raises(InputError, match=r"b.png has no ground truth b.png in"):
        read_label_maps(truths, found)
    with pytest.raises(InputError, match="is not a folder"):
        read_label_maps(tmp_path / "nowhere")
