import re
from typing import get_args

import pytest
from markupsafe import escape

from reports.html.cases import unpacked
from thresher import EvaluationResults, save_run
from thresher.cli import main
from thresher.cli.parser import parser
from thresher.errors import InputError
from thresher.reports import Analysis, ComparisonReport, RunReport, SliceReport
from thresher.reports.html import html_report
from thresher.reports.rendering import formats
from thresher.reports.rendering.registry import file_formats, format_of, renderers
from thresher.reports.report import AsText, TableReport
from thresher.reports.table import Table

NEW_FORMAT = """
from thresher.reports.rendering.registry import Renderer

def render(report):
    return "".join(f"{row['metric']}={row['value']:g}" for row in report.table())

RENDERER = Renderer("pairs", render, suffixes=(".pairs",))
"""


def made(name, scores):
    inputs = {"id": ["a", "b", "c", "d"], "language": ["de", "de", "en", "en"]}
    metrics = [{"name": "hit", "scores": scores, "bounds": [0, 1]}]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name)


@pytest.fixture
def run():
    return made("a", [1, 0, 1, 1])


@pytest.fixture
def without_cached_formats():
    """A process reads the formats once."""
    yield
    renderers.cache_clear()
    parser.cache_clear()


@pytest.fixture
def workplace(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_run(run, "a")
    save_run(made("b", [1, 1, 1, 0]), "b")
    return tmp_path


@pytest.mark.usefixtures("without_cached_formats")
def test_one_file_adds_a_format_everywhere(workplace, run, monkeypatch, capsys):
    (workplace / "formats").mkdir()
    (workplace / "formats" / "pairs.py").write_text(NEW_FORMAT, encoding="utf-8")
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(workplace / "formats")])
    renderers.cache_clear()
    parser.cache_clear()
    assert run.individual_aggregate_score_report("pairs") == "hit=0.75"
    RunReport(run).save("a.pairs")
    assert main(["report", "a", "--format", "pairs"]) == 0
    assert capsys.readouterr().out == (workplace / "a.pairs").read_text() == "hit=0.75\n"
    assert main(["report", "a", "-o", "again.pairs"]) == 0
    assert (workplace / "again.pairs").read_text() == "hit=0.75\n"
    with pytest.raises(InputError, match=r"output_format='pair' is unknown \(did you mean 'pairs'\?\)"):
        run.individual_aggregate_score_report("pair")


GUEST = """
from thresher.reports import Renderer

def render(report):
    return " ".join(f"{row['metric']}={row.get('value')}" for row in report.summary())

def save(report, path):
    path.write_bytes(b"bytes")

PAIRS = Renderer("other", render, suffixes=(".pairs",))
BYTES = Renderer("bytes", save=save, suffixes=(".bin",), is_text=False)
FAILS = Renderer("fails", lambda report: 1 / 0, suffixes=(".fails",))
NUMBER = Renderer("number", lambda report: 1)
"""


@pytest.fixture
def guests(workplace, monkeypatch):
    """Installed packages with formats."""
    monkeypatch.syspath_prepend(workplace)
    (workplace / "guest_formats.py").write_text(GUEST)
    ours = "\n".join(
        f"{name.lower()} = guest_formats:{name}" for name in ("PAIRS", "BYTES", "FAILS", "NUMBER")
    )
    for package, lines in {
        "guest": f"{ours}\ncsv = guest_formats:PAIRS\nlost = guest_formats:LOST\ntwice = guest_formats:PAIRS",
        "rival": "twice = guest_formats:PAIRS\nnone = guest_formats:render",
    }.items():
        info = workplace / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[thresher.formats]\n{lines}\n")


@pytest.mark.filterwarnings("default::thresher.errors.PluginWarning")
@pytest.mark.usefixtures("guests")
def test_an_installed_package_adds_formats(workplace, run, capsys):
    assert main(["report", "a", "--format", "pairs"]) == 0
    assert capsys.readouterr().out == "hit ↑=0.75\n"
    assert main(["compare", "a", "b", "-o", "c.pairs"]) == 0
    assert "hit" in (workplace / "c.pairs").read_text()
    assert main(["report", "a", "-o", "a.log"]) == 0, "packages that cannot be used cost a warning"
    assert "thresher: warning: format 'lost' of guest" in capsys.readouterr().err
    assert run.individual_aggregate_score_report("pairs") == "hit ↑=0.75"
    assert main(["report", "a", "--format", "bytes", "-o", "a.bytes"]) == 0
    assert (workplace / "a.bytes").read_bytes() == b"bytes"
    assert main(["report", "a", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("metric,"), "a format of the package keeps its name"


@pytest.mark.usefixtures("guests")
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (
            "fails",
            r"format 'fails' of guest failed: ZeroDivisionError: .*guest_formats\.py, line",
        ),
        ("number", "format 'number' of guest is int instead of a text"),
        ("none", "format 'none' of rival is function instead of a thresher.reports.Renderer"),
        ("lost", "format 'lost' of guest failed: AttributeError"),
        ("twice", "of (guest and rival|rival and guest) is ambiguous; uninstall one"),
        ("bytes", "bytes cannot be printed: give -o FILE.bin"),
    ],
)
def test_an_error_of_a_format_is_one_line_that_names_it(name, problem, capsys):
    assert main(["report", "a", "--format", name]) == 2
    error = capsys.readouterr().err
    assert re.search(problem, error)
    assert error.count("\n") == 1


@pytest.mark.usefixtures("guests")
def test_unknown_formats_list_those_of_packages(run):
    with pytest.raises(InputError, match=r"output_format='pair' is unknown \(did you mean 'pairs'\?\)"):
        run.individual_aggregate_score_report("pair")


def test_the_typed_formats_are_those_of_the_registry():
    assert sorted(get_args(AsText)) == [name for name, known in renderers().items() if known.is_text]


@pytest.mark.parametrize("report", [RunReport, lambda run: SliceReport(run, "language")])
@pytest.mark.parametrize("name", get_args(AsText))
def test_every_report_of_a_run_has_every_text_format(run, report, name):
    text = report(run).render(name)
    assert "hit" in text
    assert run.compare(made("b", [1, 1, 1, 0])).render(name)


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ("x.html", "<!DOCTYPE html>"),
        ("x.json", "{"),
        ("x.csv", "metric,"),
        ("x.md", "| metric"),
        ("x.tex", r"\begin{tabular}"),
        ("x.txt", "metric "),
    ],
)
def test_the_suffix_of_the_file_chooses_the_format(workplace, file, start):
    assert main(["report", "a", "-o", file]) == 0
    assert (workplace / file).read_text(encoding="utf-8").lstrip().lower().startswith(start.lower())
    assert main(["report", "a", "-o", file, "--format", "json"]) == 0
    assert (workplace / file).read_text(encoding="utf-8").startswith("{")


def sections(text):
    return re.findall(r'<section [^>]*id="([^"]+)"', text)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["report", "a", "--detailed"], ["items", "overview", "provenance"]),
        (["compare", "a", "b", "--detailed"], ["items", "comparison", "overview", "provenance"]),
        (["thresholds", "a"], ["table-1", "thresholds", "distributions", "items", "provenance"]),
        (["inputs-below", "a", "--metric", "hit", "--threshold", "0.5"], ["items", "provenance"]),
    ],
)
def test_pages_show_what_the_command_is_about(workplace, command, expected):
    assert main([*command, "-o", "x.html"]) == 0
    assert sections((workplace / "x.html").read_text(encoding="utf-8")) == expected


def test_the_page_of_low_items_holds_them_alone_with_their_count(workplace, capsys):
    command = ["inputs-below", "a", "--metric", "hit", "--format", "html"]
    assert main([*command, "--threshold", "0.5"]) == 0
    page = capsys.readouterr().out
    assert "1 of 4 items have hit below 0.5 (4/4 scored)" in page
    assert len(unpacked(page)["ids"]) == 1
    assert main([*command, "--threshold", "-1"]) == 0
    page = capsys.readouterr().out
    assert "0 of 4 items have hit below -1 (4/4 scored)" in page
    assert sections(page) == ["table-1"]


def test_python_has_the_same_pages():
    first, second = made("a", [1, 0, 1, 1]), made("b", [0, 0, 1, 1])
    low = first.find_inputs_below_threshold("hit", 0.5, "html")
    assert sections(low) == ["items"]  # no provenance is known
    assert len(unpacked(low)["ids"]) == 1
    one = first.individual_detailed_score_report(first.ids[2], "html")
    assert unpacked(one)["ids"] == [first.ids[2]]
    assert sections(first.individual_detailed_score_report(output_format="html"))[:2] == ["items", "overview"]
    both = first.comparative_detailed_score_report(second, "html")
    assert sections(both)[:2] == ["items", "comparison"]
    assert sections(first.find_thresholds(output_format="html"))[:2] == ["table-1", "thresholds"]


def test_the_page_of_best_thresholds_has_their_table_with_notes_and_findings():
    scores = [item / 20 for item in range(20)]
    inputs = {"id": [f"i{item}" for item in range(20)], "right": [int(item > 8) for item in range(20)]}
    metrics = [{"name": "hit", "scores": scores, "bounds": [0, 1]}]
    run = EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics})
    page = run.find_best_thresholds("right", output_format="html")
    assert sections(page)[:2] == ["table-1", "thresholds"]
    for line in (*run.find_best_thresholds("right").notes, *run.find_best_thresholds("right").reading):
        assert str(escape(line)) in page


def test_a_report_of_no_run_is_a_page_of_its_tables():
    table = Table(["name", "value"], [["<b>", 1.5]], notes=["Read first."], reading=["Read last."])
    page = TableReport.of(table, further=[Table(["another"], [[2]])]).with_remarks(["Remark."]).render("html")
    assert sections(page) == ["table-1", "table-2"]
    assert "&lt;b&gt;" in page
    order = [page.index(text) for text in ("Remark.", "Read first.", "&lt;b&gt;", "Read last.", "another<")]
    assert order == sorted(order)


def test_unknown_sections_are_refused():
    with pytest.raises(InputError, match=r"no section 'itmes' \(did you mean 'items'\?\); there are gate"):
        html_report([made("a", [1, 0, 1, 1])], sections=["itmes"])


def test_results_write_what_the_command_line_writes(workplace, run):
    run.to_html(workplace / "python.html")
    run.to_excel(workplace / "python.xlsx", level=0.9)
    assert main(["report", "a", "-o", "shell.html"]) == 0
    assert (workplace / "python.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (workplace / "python.xlsx").read_bytes().startswith(b"PK")
    assert run.to_latex() == RunReport(run).render("latex")
    ComparisonReport([run, made("b", [1, 1, 1, 0])], Analysis(margin=0.1)).save(workplace / "both.html")
    assert "margin" in (workplace / "both.html").read_text(encoding="utf-8")


def test_what_cannot_be_saved_gets_one_line(workplace, run):
    with pytest.raises(InputError, match=r"cannot infer a format from 'x.foo'; pass output_format="):
        RunReport(run).save("x.foo")
    with pytest.raises(InputError, match=r"df is not a format of files; choose one of .*csv, excel, "):
        RunReport(run).save("x.df", "df")
    with pytest.raises(InputError, match=r"excel cannot be printed: give -o FILE.xlsx, in Python save"):
        run.individual_aggregate_score_report("excel")
    with pytest.raises(InputError, match="cannot be written"):
        run.to_html(workplace / "none" / "x.html")


def test_a_workbook_is_refused_before_anything_is_computed(workplace, capsys):
    words = ["run", "qa", "--data", "missing.jsonl", "--format", "excel"]
    assert main(words) == 2
    assert "give -o FILE.xlsx" in capsys.readouterr().err


def test_formats_with_pages_are_for_reports_with_pages():
    assert set(file_formats()) - set(file_formats(pages=False)) == {"html"}
    assert (format_of("x.HTM"), format_of("x")) == ("html", None)
