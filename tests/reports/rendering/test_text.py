import json

import pytest
from haystack import Document
from hypothesis import given
from hypothesis import strategies as st

from thresher.components.detection import Detections
from thresher.reports.rendering.text import cell_text, csv_text, json_text, markdown, plain_text
from thresher.reports.table import Table

cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.lists(cells, min_size=1, max_size=4))
def test_no_text_breaks_a_markdown_table(texts):
    lines = markdown(Table(["a", *["b"] * (len(texts) - 1)], [texts])).split("\n")
    assert len(lines) == 3
    assert all(line.replace("\\\\", "").replace("\\|", "").count("|") == len(texts) + 1 for line in lines)


@given(st.lists(st.lists(cells, min_size=2, max_size=2), max_size=5))
def test_csv_is_read_back_as_it_was(rows):
    import csv
    import io

    assert list(csv.reader(io.StringIO(csv_text(Table(["a", "b"], rows), raw=True), newline="")))[1:] == rows


def test_markup_in_a_cell_stays_text():
    assert "<script>" not in markdown(Table(["a"], [["<script>alert(1)</script>"]]))


def test_lists_documents_and_gaps_have_a_plain_form():
    table = Table(["docs", "score"], [[[Document(content="text", id="1")], float("nan")]])
    assert json.loads(json_text(list(table)))[0]["docs"][0]["content"] == "text"
    assert json.loads(json_text(list(table)))[0]["score"] is None
    assert csv_text(table).splitlines()[1].endswith('",')
    assert "nan" not in plain_text(table)


def test_long_cells_are_cut_on_a_terminal_only():
    table = Table(["a"], [["word " * 40]])
    assert "…" in plain_text(table, width=20)
    assert "…" not in markdown(table)


def test_a_table_is_a_sequence_of_rows():
    table = Table(["a", "b"], [[1, 2], [3, 4]])
    assert list(table) == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert table["b"] == [2, 4]
    assert table[1:] == Table(["a", "b"], [[3, 4]])
    assert table.to_dict() == {"a": [1, 3], "b": [2, 4]}
    assert hash(table) == hash(Table(["a", "b"], [[1, 2], [3, 4]]))


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (Detections.of(["cat", "dog", "dog"], [[0, 0, 9, 9]] * 3), "2 dog, 1 cat"),
        ({"labels": [], "boxes": []}, "no objects"),
        (
            {"segmentation": "1.png", "segments_info": [{"id": 1, "label": "sky"}, {"id": 2}]},
            "1 sky, 1 without a label",
        ),
        ({"segments_info": []}, "no segments"),
        (
            {"labels": [str(at) for at in range(10)], "geometries": []},
            "1 0, 1 1, 1 2, 1 3, 1 4, 1 5, 1 6, 1 7 and 2 more labels",
        ),
        ({"labels": ["a"]}, '{"labels": ["a"]}'),
        ({"segments_info": "a"}, '{"segments_info": "a"}'),
    ],
)
def test_objects_of_an_image_are_counted_by_label(entry, text):
    assert cell_text(entry) == text
