import csv
import io
import json
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from thresher import read_dataset
from thresher.errors import DataWarning
from thresher.reports import html
from thresher.reports.table import Table
from thresher.spreadsheet_cells import guarded, unguarded

RISKY = ("=1+2", "+1-2", "-x", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-1+2", "+", "\uff1d1")
TEXTS = st.text(st.sampled_from("'=+-@\t\r\n1.ea \uff0b,\""), max_size=6)


@pytest.mark.parametrize("text", RISKY)
def test_what_a_spreadsheet_executes_begins_with_a_mark(text):
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize(
    "cell", ["-0.5", "+1", "-1e-3", "-.5", "-inf", "-0.1 to -0.05", -3, -0.5, None, "", "it's", "a=1", "'x'"]
)
def test_numbers_and_other_texts_stay(cell):
    assert guarded(cell) == cell


@given(TEXTS)
@example("'=1")
@example("''-0.5")
@example("'")
def test_the_mark_is_taken_off_exactly(text):
    assert unguarded(guarded(text)) == text


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), TEXTS)
def test_a_data_set_survives_the_way_through_csv(rows, name):
    column = f"x{name}".strip() if guarded(name.strip()) != name.strip() else f"={name}".strip()
    table = Table(["id", "question", column], [(f"={i}", *row) for i, row in enumerate(rows)])
    text = table.to_csv()
    cells = [cell for line in csv.reader(io.StringIO(text, newline="")) for cell in line]
    assert all(guarded(cell) == cell or unguarded(cell) != cell for cell in cells)
    source = io.StringIO(text, newline="")
    source.name = "table.csv"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        dataset = read_dataset(source, empty_cells="text")
    assert list(dataset.ids) == [f"={i}" for i in range(len(rows))]
    assert list(dataset.columns["questions"]) == [question for question, _ in rows]
    assert column in dataset.columns


def test_removed_marks_are_reported(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("question,response\n'=1+2,yes\n", encoding="utf-8")
    with pytest.warns(
        DataWarning, match="removed the ' that protects 1 cell from spreadsheets, such as \"'=1"
    ):
        dataset = read_dataset(path)
    assert dataset.columns["questions"][0] == "=1+2"


def test_quotes_of_a_file_without_marks_are_text(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("question,response\n'-ing' is a suffix,=yes\n", encoding="utf-8")
    assert read_dataset(path).columns["questions"][0] == "'-ing' is a suffix"


def test_raw_csv_is_unchanged():
    assert Table(["=a"], [["+b"]]).to_csv(raw=True) == "=a\r\n+b\r\n"
    assert Table(["=a"], [["+b"]]).to_csv() == "'=a\r\n'+b\r\n"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_button_of_the_page_guards_the_same_cells():
    script = (Path(html.__file__).parent / "assets" / "csv.js").read_text(encoding="utf-8")
    cells = [
        *RISKY,
        "-0.5",
        "'=1",
        "'x'",
        "",
        "-inf",
        "+1e5",
        "-0.1 to .2",
        "-1 to",
        "1-1",
        "1",
        "a",
        "'-0.5",
        "\u2028=",
        "=1\n",
        "-1\n",
        -3,
        None,
    ]
    code = f"{script}\nconsole.log(JSON.stringify({json.dumps(cells)}.map(guarded)))"
    process = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True)
    assert json.loads(process.stdout) == [guarded(cell) for cell in cells]
