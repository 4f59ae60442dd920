"""A format of annotated images is a reader and one line of the table."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

import thresher.datasets
from thresher.cli.parser import parser
from thresher.cli.source import pipeline_and_data
from thresher.datasets import Dataset
from thresher.datasets.annotation_formats import ANNOTATION_FORMATS, AnnotationFormat
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections import Detections
from thresher.results import FrozenColumn


@pytest.mark.parametrize("known", ANNOTATION_FORMATS.values(), ids=lambda known: known.name)
def test_each_reader_is_exported(known):
    assert getattr(thresher.datasets, known.function) is known.reader
    assert known.function in thresher.datasets.__all__


def read_points(ground_truths, predictions=None, *, labels=None, name=None):
    """A reader of a format that does not exist."""
    objects = DetectionColumns.of([Detections.of(labels, [[0, 0, 1, 1]])])
    assert Path(ground_truths).is_dir()
    return Dataset(FrozenColumn(["a"]), {"ground_truths": objects, "predictions": objects}, name)


@pytest.fixture
def _new_parser():
    """A parser is made once in a process: make a new one for this test and for those after it."""
    parser.cache_clear()
    yield
    parser.cache_clear()


@pytest.mark.usefixtures("_new_parser")
def test_one_line_adds_a_format_to_the_command_line(monkeypatch, tmp_path):
    """Choices, help, the guess from the suffix, and the options of the reader come from the line."""
    module = ModuleType("thresher.datasets.points")
    module.read_points = read_points
    monkeypatch.setitem(sys.modules, module.__name__, module)
    points = AnnotationFormat("points", "points", "read_points", ".pts", "a folder of points")
    monkeypatch.setitem(ANNOTATION_FORMATS, "points", points)
    (tmp_path / "gt").mkdir()
    (tmp_path / "gt" / "a.pts").touch()
    (tmp_path / "names").write_text("cat")
    words = ["run", "object_detection", "--gt", str(tmp_path / "gt"), "--data", "found"]
    options = parser().parse_args([*words, "--labels", str(tmp_path / "names")])
    _, dataset = pipeline_and_data(options)
    assert dataset.name == "found"
    assert [label.value for label in dataset.column("ground_truths")[0].labels] == ["cat"]
    assert parser().parse_args([*words, "--gt-format", "points"]).gt_format == "points"
