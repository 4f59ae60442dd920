"""The table of promised bounds: verdicts, what it prints, and the page that is written from it."""

import importlib.util
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

TOP = Path(__file__).parents[1]


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def promised():
    return loaded(TOP / "benchmarks" / "promised.py")


@pytest.fixture
def rows(promised):
    side = promised.Side
    fast = [
        side("hotcoco 1.3.0", 0.4, "equal"),
        side("torchmetrics", None, missing="pip install torchmetrics"),
    ]
    return [
        promised.Row("columns", "python a.py", "s", side("Thresher", 0.1), fast, 0.05, {"hotcoco": 4.0}),
        promised.Row("masks", "python b.py", "s", side("Thresher", 0.1), fast, times={"hotcoco": 4.0}),
        promised.Row("texts < all", "python c.py", "s", side("Thresher", 0.1), fast, times={"torch": 1.0}),
        promised.Row("absent", "python d.py", "s", side("Thresher", None, "not measured"), most=1.0),
    ]


def test_a_bound_is_met_missed_or_open(rows):
    assert [row.met for row in rows] == [False, True, None, None]
    assert rows[0].bound == "at most 0.05 s, 4 times as fast as hotcoco"
    assert rows[2].bound == "not slower than torch"


def test_a_missed_ratio_decides_although_another_peer_is_missing(promised):
    peers = [promised.Side("one 1.0", 0.1), promised.Side("other", None)]
    row = promised.Row(
        "both", "", "s", promised.Side("Thresher", 0.2), peers, times={"other": 1.0, "one": 1.0}
    )
    assert row.met is False


def test_a_row_shows_ratios_and_what_to_install(promised, rows):
    lines = promised.show(rows[0]).splitlines()
    assert lines[:3] == ["columns", f"  bound: {rows[0].bound} (MISSED)", "  command: python a.py"]
    assert lines[3].split() == ["Thresher", "0.100", "s"]
    assert lines[4].split() == ["hotcoco", "1.3.0", "0.400", "s", "4", "x", "equal"]
    assert lines[5].split(maxsplit=1) == ["torchmetrics", "not installed: pip install torchmetrics"]
    assert "(for the full size)" in promised.show(rows[0], decided=False)


def test_a_row_without_a_promise_is_neither_met_nor_missed(promised):
    row = promised.Row("command", "", "s", promised.Side("Thresher", 3.0))
    assert (row.met, promised.show(row).splitlines()[1]) == (None, "  bound: none")
    page = loaded(TOP / "scripts" / "write_performance.py")
    facts = dict.fromkeys(("date", "thresher", "machine", "python", "numpy", "haystack-ai", "command"), "x")
    line = page.table({**facts, "rows": [row.to_dict()]}).splitlines()[-1]
    assert line == "| command | - | 3.00 s | - | - |"


def test_page_and_picture_have_every_row(promised, rows):
    page = loaded(TOP / "scripts" / "write_performance.py")
    data = [promised.Row.from_dict(row.to_dict()).to_dict() for row in rows]
    assert data == [row.to_dict() for row in rows]
    facts = dict.fromkeys(("date", "thresher", "machine", "python", "numpy", "haystack-ai", "command"), "x")
    lines = page.table({**facts, "rows": data}).splitlines()
    assert [line.split(" | ")[-1] for line in lines[-4:]] == [
        f"{verdict} |" for verdict in ("no", "yes", "a peer is missing", "a peer is missing")
    ]
    assert "hotcoco 1.3.0: 0.4 s (4 x)<br>torchmetrics: not installed" in lines[-3]
    drawn = ET.fromstring(page.picture(data))  # noqa: S314  # our own
    texts = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "0.1 of 0.05 s" in texts
    assert texts.count("4 x") == 3
    assert "texts < all: hotcoco 1.3.0" in texts
    looks = [element.get("class") for element in drawn.iter("{http://www.w3.org/2000/svg}rect")]
    assert looks == ["ground", "missed", "peer", "peer", "peer"]


def test_the_page_has_a_place_for_the_table():
    page = loaded(TOP / "scripts" / "write_performance.py")
    text = page.PAGE.read_text(encoding="utf-8")
    assert text.count(page.BEGIN) == text.count(page.END) == 1
    assert text.index(page.BEGIN) < text.index(page.END)
