"""Objects in images in run directories, as arrays."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thresher.components.detection import Detections, Polygons, Raster
from thresher.datasets.coco import read_coco
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.pipelines import evaluate, open_run
from thresher.pipelines.input_columns import decode, encode
from thresher.results import FrozenColumn

FILES = Path(__file__).parents[1] / "golden/results/objects"
METRIC = "detection_f1"


def data():
    return read_coco(FILES / "truth.json", FILES / "found.json")


def plain(column):
    return [entry if isinstance(entry, dict) else entry.to_dict() for entry in column]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scores": None},
        {"areas": [3, 4.5, 0.1], "crowd": [0, 1, 0], "difficult": [1, 0, 0]},
        {"ids": [1, 2, 3]},
        {"ids": ["a", None, 2**70]},
        {
            "boxes": None,
            "geometries": [Raster.of(np.eye(5)), Polygons.of([[(0, 0), (4, 0.5), (1, 3)]]), [0, 0, 2, 2]],
        },
    ],
)
def test_what_was_stored_is_read_back(options):
    given = {
        "labels": ["a", "b", "a"],
        "boxes": np.array([[0.1, 0, 3, 4], [1, 1.7, 2, 2], [5, 5, 5, 5]]),
        "scores": [1, 0, 0.3],
    }
    column = FrozenColumn([Detections.of(**given | options), Detections.of([])])
    stored, form = encode(column)
    assert pa.types.is_large_list(stored.type)
    read = decode(pa.chunked_array([stored.slice(0, 1), stored.slice(1, 1)]), form)
    assert read == column
    assert plain(read)[0] == plain(column)[0]
    for name in ("boxes", "box_areas", "areas"):
        assert getattr(read[0], name).tobytes() == getattr(column[0], name).tobytes()


def test_entries_without_objects_stay_json():
    column = FrozenColumn([Detections.of(["a"], [[0, 0, 1, 1]]), None])
    stored, form = encode(column)
    assert list(decode(pa.chunked_array([stored]), form)) == [column[0].to_dict(), None]


def test_a_run_of_files_stores_arrays(tmp_path):
    results = evaluate(METRIC, data(), out=tmp_path / "run", chunk_size=2)
    kind = pq.read_schema(tmp_path / "run/parts/part-00000.parquet").field("input.predictions").type
    assert pa.types.is_struct(kind.value_type)
    stored = open_run(tmp_path / "run")
    assert (
        stored.to_dict()["inputs"]
        == evaluate(METRIC, data()).to_dict()["inputs"]
        == results.to_dict()["inputs"]
    )
    assert isinstance(stored.inputs["predictions"][:2], DetectionsColumn)


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="'later' of an input column is unknown"):
        decode(pa.chunked_array([["a"]]), "later")


def test_objects_from_any_source_have_one_fingerprint():
    read = data()
    again = {name: list(column) for name, column in read.columns.items()}
    assert type(read)(read.ids, again).fingerprint() == read.fingerprint()
    assert read.take([0, 1, 2]).fingerprint() == read.fingerprint()
    assert read.take([1, 0, 2]).fingerprint() != read.fingerprint()


def test_large_parts_are_written_in_groups_of_rows(tmp_path, monkeypatch):
    """The memory of writing is that of one group."""
    evaluate(METRIC, data(), out=tmp_path / "one")
    monkeypatch.setattr("thresher.pipelines.packed_parts._ROW_GROUP", 1)
    evaluate(METRIC, data(), out=tmp_path / "three")
    groups = [
        pq.ParquetFile(tmp_path / run / "parts/part-00000.parquet").num_row_groups for run in ("one", "three")
    ]
    assert groups == [1, 3]
    one, three = open_run(tmp_path / "one"), open_run(tmp_path / "three")
    assert one.to_dict()["inputs"] == three.to_dict()["inputs"]
    assert one.to_dict()["results"] == three.to_dict()["results"]


def test_numbers_that_do_not_repeat_get_no_dictionary(tmp_path):
    evaluate(METRIC, data(), out=tmp_path / "run")
    group = pq.ParquetFile(tmp_path / "run/parts/part-00000.parquet").metadata.row_group(0)
    columns = [group.column(at) for at in range(group.num_columns)]
    with_dictionary = {column.path_in_schema for column in columns if column.has_dictionary_page}
    assert {"input.predictions.list.element.label", "input.file_name", "id"} <= with_dictionary
    assert "metric.0.statistic.tp" in with_dictionary
    assert not {path for path in with_dictionary if path.endswith((".score", ".box.list.element"))} - {
        "metric.0.statistic.score"
    }
    split = {column.path_in_schema for column in columns if "BYTE_STREAM_SPLIT" in column.encodings}
    assert {
        "input.predictions.list.element.score",
        "input.predictions.list.element.box.list.element",
    } <= split
    assert not [path for path in split if path.endswith(".label")]
