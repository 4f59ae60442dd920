"""Tables in the width of a terminal: nothing is lost, and words stay whole where they fit."""

import numpy as np
import pytest

from thresher.reports.rendering.terminal import fitted_text, fitting
from thresher.reports.rendering.text import plain_text
from thresher.reports.rendering.wrapping import narrowed, wrapped
from thresher.reports.table import Table

NAMES = ["detection_coco_map_50 (COCO, IoU 0.5) ↑", "a", "held-out x where split = val", "", "[0.12, 0.34]"]
WIDE = Table(
    ("metric", "slice of the items", "value", "95 % interval", "items"),
    [
        ["detection_error_classification ↓", "weather = rain", "0.312", "[-0.123, +0.456]", 120],
        ["detection_coco_map_50 (COCO, 101 points) ↑", "weather = sun", "0.5", "", 4],
    ],
)


def squeezed(text):
    return "".join(text.split())


@pytest.mark.parametrize("seed", range(3))
def test_any_table_fits_and_keeps_every_character(seed):
    draw = np.random.default_rng(seed)
    for _ in range(40):
        columns = [str(draw.choice(["metric", "F1 where chosen", "x"])) for _ in range(draw.integers(1, 5))]
        rows = [[str(draw.choice(NAMES)) for _ in columns] for _ in range(draw.integers(1, 4))]
        room = int(draw.integers(50, 121))
        widths = narrowed(columns, rows, room)
        lines = plain_text(Table(columns, rows), room=room).splitlines()
        assert max(map(len, lines)) <= room
        for row in rows:
            for cell, width in zip(row, widths, strict=True):
                assert squeezed(wrapped(cell, width)) == squeezed(cell)


@pytest.mark.parametrize("room", [60, 80, 120])
def test_a_table_with_too_many_columns_has_a_record_per_row(room, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(room))
    columns = [
        "run",
        *(f"classification_precision_{number} ↑" for number in range(14)),
        "n" * (room // 2 + 5),
    ]
    cells = ["system_with_reranker", *["0.512 [0.412, 0.612]"] * 14, "complete"]
    shown = fitted_text(Table(columns, [cells, cells]))
    lines = shown.splitlines()
    assert max(map(len, lines)) <= room
    assert shown.count("0.512 [0.412, 0.612]") == 28
    assert lines.count("n" * (room // 2 + 5)) == 2, "a long name has a line of its own"


def test_words_and_intervals_are_whole_where_they_fit():
    text = plain_text(WIDE, room=80)
    for word in ("classification ↓", "[-0.123, +0.456]", "weather", "rain", "interval"):
        assert word in text
    assert "[-0.123,\n" not in text
    narrow = plain_text(WIDE, room=58)
    assert max(map(len, narrow.splitlines())) <= 58
    assert "[-0.123, " in narrow
    assert "[-0.123, +0.456]" not in narrow


def test_a_wrapped_cell_cannot_begin_a_line_with_a_workflow_command():
    assert wrapped("q1 ::error::fake", 8) == "q1 ::error::fake"


def test_what_a_narrow_terminal_lacks_is_named(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    wide = Table((*WIDE.columns, "method"), [(*row, "one-more" * 4) for row in WIDE.rows])
    shown = fitting([wide])
    assert shown.columns == ("metric", "slice of the items", "value", "95 % interval")
    assert shown.reading == ("Columns left out at this width: items, method; -o FILE.md has them.",)
    assert max(map(len, fitted_text(shown).splitlines())) <= 80
    differences = fitting([Table((*wide.columns, "diff"), [(*row, "+0.1") for row in wide.rows])])
    assert "diff" not in differences.reading[0], "a column that is there is not called left out"
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, fitted_text(shown).splitlines())) > 40, "60 is the least"
    monkeypatch.delenv("COLUMNS")
    assert fitting([wide]) == wide
    assert fitted_text(wide) == plain_text(wide), "a pipe has no width"
