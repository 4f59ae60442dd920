import pytest
from openpyxl import load_workbook

from thresher import EvaluationResults, save_run
from thresher.cli import main


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, scores in (("a", [1, 0] * 20), ("b", [1, 1, 0, 1] * 10)):
        inputs = {
            "id": [f"q{item}" for item in range(40)],
            "answer": ["=1+1"] * 40,
            "human": [1, 0, 0, 1] * 10,
        }
        metrics = [{"name": "exact_match", "scores": scores, "bounds": [0, 1]}]
        save_run(EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name), name)
    return tmp_path


@pytest.mark.parametrize("words", [["report", "a"], ["report", "a", "--detailed"], ["compare", "a", "b"]])
def test_latex_is_a_table_and_comments(workplace, capsys, words):
    assert main([*words, "--format", "latex"]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert r"\toprule" in lines
    start, end = lines.index(next(line for line in lines if "tabular" in line)), lines.index(r"\end{tabular}")
    assert all(line.startswith("% ") for line in [*lines[:start], *lines[end + 1 :]])
    assert r"exact\_match" in out


@pytest.mark.parametrize("words", [["report", "a"], ["report", "a", "--detailed"], ["compare", "a", "b"]])
def test_a_workbook_holds_every_digit_and_the_notes(workplace, capsys, words):
    assert main([*words, "--format", "excel", "-o", "t.xlsx"]) == 0
    book = load_workbook(workplace / "t.xlsx")
    cells = [cell for row in book["report"].iter_rows() for cell in row]
    assert any(isinstance(cell.value, float | int) for cell in cells)
    assert {cell.data_type for cell in cells} <= {"s", "n", "b"}


@pytest.mark.parametrize(
    "words",
    [
        ["thresholds", "a"],
        ["thresholds", "a", "--label", "human", "--metric", "exact_match"],
        ["inputs-below", "a", "--metric", "exact_match", "--threshold", "0.5"],
        ["labels", "read", "a", "--labels", "labels.csv", "--metric", "exact_match"],
    ],
)
def test_every_table_of_a_run_is_latex_and_a_workbook(workplace, capsys, words):
    labels = "".join(f"q{item},{item % 3 % 2}\n" for item in range(40))
    (workplace / "labels.csv").write_text("id,label\n" + labels, encoding="utf-8")
    assert main([*words, "--format", "latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out
    assert main([*words, "--format", "excel", "-o", "t.xlsx"]) == 0
    book = load_workbook(workplace / "t.xlsx")
    assert {cell.data_type for row in book["report"].iter_rows() for cell in row} <= {"s", "n", "b"}


def test_low_scores_that_are_good_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    metrics = [{"name": "latency", "scores": [1, 5, 9], "direction": "lower"}]
    data = {"inputs": {"id": ["a", "b", "c"]}, "metrics": metrics}
    save_run(EvaluationResults.from_dict(data, name="a"), "a")
    assert main(["inputs-below", "a", "--metric", "latency", "--threshold", "2"]) == 0
    assert "Lower is better for latency: these are the best items." in capsys.readouterr().out


def test_a_workbook_is_not_printed(workplace, capsys):
    assert main(["report", "a", "--format", "excel"]) == 2
    assert "give -o FILE.xlsx" in capsys.readouterr().err


def test_the_level_of_intervals_is_the_readers(workplace, capsys):
    def words(*asked):
        assert main([*asked]) == 0
        return capsys.readouterr().out

    assert "99 % interval" in words("report", "a", "--level", "0.99")
    assert "90 % interval" in words("compare", "a", "b", "--level", "0.9")
    assert "90 % interval" in words("compare", "a", "b", "--level", "0.9", "--slice", "human")
    assert "90 % interval" in words("report", "a", "--level", "0.9", "--slice", "human")
    assert '"level": 0.9,' in words("compare", "a", "b", "--level", "0.9", "--format", "json")
    for html in (("report", "a", "--slice", "human"), ("compare", "a", "b", "--slice", "human")):
        page = words(*html, "--level", "0.9", "--format", "html")
        assert page.count("90 % interval") >= 2
        assert "95 % interval" not in page
    words("gate", "a", "--level", "0.9", "--html", "x.html", "--require", "coverage(exact_match)>=0.01")
    assert "90 % interval" in (workplace / "x.html").read_text(encoding="utf-8")
    assert "Intervals have a level of 60 %." in words(
        "gate", "a", "--level", "0.6", "--require", "exact_match>=0.4"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["report", "a", "--level", "95"], "--level 95 must be a share between 0.5 and 1"),
        (["compare", "a", "b", "--level", "0.4"], "--level 0.4 must be a share"),
    ],
)
def test_levels_that_cannot_be_are_refused(workplace, capsys, words, message):
    assert main(words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["runs", "."],
        ["history", "a", "b", "--item", "q1"],
        ["history", "a", "b", "--metric", "exact_match", "--bar", "exact_match=0.5"],
    ],
)
def test_lists_and_histories_are_pages(workplace, capsys, words):
    assert main([*words, "-o", "list.html"]) == 0
    page = (workplace / "list.html").read_text(encoding="utf-8")
    assert "<table" in page
    assert "<title>" in page
    assert "Report" not in page.partition("<title>")[2].partition("</title>")[0]


def test_a_suffix_of_a_format_that_a_command_lacks_is_refused_before_it_runs(workplace, capsys):
    assert main(["run", "token_f1", "--data", "missing.jsonl", "-o", "page.html"]) == 2
    assert "-o page.html: this command does not write html; choose another suffix" in capsys.readouterr().err
    assert not (workplace / "page.html").exists()
    assert main(["report", "a", "-o", "page.log"]) == 0
