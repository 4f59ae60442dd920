import json

import pytest
from defusedxml import ElementTree

from stored_runs import edit_manifest
from thresher import EvaluationResults, save_run
from thresher.cli import main


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for variable in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(variable, raising=False)
    keep("main", [1] * 90 + [0] * 10)
    keep("worse", [1] * 60 + [0] * 40)
    return tmp_path


def keep(name, scores):
    inputs = {"id": [f"q{item}" for item in range(len(scores))], "language": ["de", "en"] * 50}
    metrics = [{"name": "hit", "scores": scores}, {"name": "none", "scores": [None] * len(scores)}]
    save_run(EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name=name), name)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["main", "--require", "hit>=0.8"], 0),
        (["main", "--require", "hit>=0.8", "--require", "hit>=0.99"], 1),
        (["main", "--require", "hit>=0.9"], 4),
        (["main", "--require", "hit>=0.9", "--decide", "value"], 0),
        (["main", "--require", "none>=0.9"], 3),
        (["main", "--require", "hit>=0.99", "--require", "none>=0.9"], 3),
        (["main", "--require", "hit>=0.99", "--require", "hit>=0.9"], 1),
        (["worse", "--baseline", "main", "--require", "no-regression(hit)"], 1),
        (["main", "--baseline", "worse", "--require", "no-regression(hit)"], 0),
        (["main", "--baseline", "nowhere", "--require", "no-regression(hit)"], 3),
        (["nowhere", "--require", "hit>=0.8"], 3),
        (["main", "--require", "hits>=0.8"], 2),
        (["main", "--require", "hit=0.8"], 2),
        (["main", "--require", "no-regression"], 2),
        (["main"], 2),
        (["main", "--requirements", "missing.yaml"], 2),
    ],
)
def test_exit_codes(workplace, capsys, words, code):
    assert main(["gate", *words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    if code in (1, 4):
        assert out.rstrip().splitlines()[-1].startswith("Gate ")
    if not out:
        assert len(err.splitlines()) == 1


def test_an_unfinished_run_decides_nothing(workplace, capsys):
    edit_manifest(workplace / "main", complete=False, unfinished="")
    assert main(["gate", "main", "--require", "hit>=0.8"]) == 3
    assert "the run is unfinished: the end was not reached; run it again" in capsys.readouterr().out


def test_a_run_that_cannot_be_read_is_an_error_in_every_form(workplace, capsys, monkeypatch):
    (workplace / "main" / "run.json").write_text("{")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    words = ["gate", "main", "--require", "hit>=0.8", "--require", "hit>=0.9", "--junit", "junit.xml"]
    assert main(words) == 3
    out, err = capsys.readouterr()
    assert "could not be decided: hit: main/run.json is damaged" in out
    assert err.count("::error title=hit>=0.") == 2
    (suite,) = ElementTree.parse(workplace / "junit.xml").getroot()
    assert [suite.get(name) for name in ("failures", "errors")] == ["0", "2"]
    assert main(["gate", "main", "--require", "hit=0.8"]) == 2


def test_requirements_from_a_file_join_those_of_the_command(workplace, capsys):
    (workplace / "gate.yaml").write_text("require: ['hit>=0.5', 'hit[by language]>=0.5']")
    words = ["gate", "main", "--require", "coverage(hit)>=1", "--requirements", "gate.yaml"]
    assert main([*words, "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [each["requirement"] for each in data["decisions"]] == [
        "coverage(hit)>=1",
        "hit>=0.5",
        "hit[by language]>=0.5",
        "hit[by language]>=0.5",
    ]


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ("gate.md", "<!-- thresher gate -->"),
        ("gate.json", "{"),
        ("gate.csv", "outcome,"),
        ("gate.tex", r"\begin{tabular}"),
        ("gate.xlsx", "PK"),
        ("gate.txt", "outcome "),
    ],
)
def test_the_suffix_chooses_the_format_of_the_outcome(workplace, capsys, file, start):
    assert main(["gate", "main", "--require", "hit>=0.99", "-o", file]) == 1
    assert (workplace / file).read_bytes().startswith(start.encode())
    assert capsys.readouterr() == ("", f"thresher: wrote {file}\nGate failed for main: 1 failed.\n")


def test_formats_of_files_and_options_of_csv_are_checked_first(workplace, capsys):
    words = ["gate", "main", "--require", "hit>=0.99"]
    assert main([*words, "--format", "excel"]) == 2
    assert "excel cannot be printed: give -o FILE.xlsx" in capsys.readouterr().err
    assert main([*words, "--raw"]) == 2
    assert "--raw is an option of CSV, not of table" in capsys.readouterr().err
    assert main([*words, "--format", "csv", "--raw"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("outcome,requirement,about")
    assert err == "Gate failed for main: 1 failed.\n"


@pytest.mark.parametrize("form", ["table", "markdown", "json", "junit"])
def test_every_form_on_screen_and_in_a_file(workplace, capsys, form):
    words = ["gate", "main", "--require", "hit>=0.99", "--format", form]
    assert main(words) == 1
    printed = capsys.readouterr().out
    assert main([*words, "-o", "gate.txt"]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "thresher: wrote gate.txt\nGate failed for main: 1 failed.\n")
    assert (workplace / "gate.txt").read_text(encoding="utf-8") == printed


def test_junit_can_be_written_beside_the_table(workplace, capsys):
    assert main(["gate", "main", "--require", "hit>=0.99", "--junit", "junit.xml"]) == 1
    assert "Gate failed" in capsys.readouterr().out
    assert ElementTree.parse(workplace / "junit.xml").getroot().get("failures") == "1"


def test_github_gets_annotations_and_a_summary_and_keeps_what_it_had(workplace, capsys, monkeypatch):
    summary = workplace / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert main(["gate", "main", "--require", "hit>=0.99", "--format", "json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["exit_code"] == 1
    assert err.startswith("::error title=hit>=0.99 failed::hit is 0.900 ")
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- thresher gate -->")
    assert "Gate failed for main" in text


def test_a_summary_that_cannot_be_written_is_told_and_changes_nothing(workplace, capsys, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(workplace))
    assert main(["gate", "main", "--require", "hit>=0.5"]) == 0
    assert "cannot be written" in capsys.readouterr().err


def test_the_whole_report_can_be_kept_as_html_with_the_gate_first(workplace, capsys):
    words = ["worse", "--baseline", "main", "--require", "no-regression(hit)", "--html", "gate.html"]
    assert main(["gate", *words]) == 1
    page = (workplace / "gate.html").read_text(encoding="utf-8")
    assert page.index("Gate failed for worse against main") < page.index("Comparison with")
    assert main(["gate", "nowhere", "--require", "hit>=0.8", "--html", "none.html"]) == 3
    assert not (workplace / "none.html").exists()


def test_an_unfinished_baseline_leaves_open_only_what_needs_it(workplace, capsys):
    edit_manifest(workplace / "worse", complete=False, unfinished="")
    asked = ("--require", "hit>=0.8", "--require", "no-regression(hit)", "--format", "json")
    assert main(["gate", "main", "--baseline", "worse", *asked]) == 3
    alone, against = json.loads(capsys.readouterr().out)["decisions"]
    assert alone["outcome"] == "passed"
    assert against["sentence"].startswith("hit: the baseline is unfinished")


@pytest.mark.parametrize(
    ("requirement", "more", "equivalent"),
    [
        ("no-regression(hit) within 0.3", [], True),
        ("no-regression within 0.3", [], True),
        ("no-regression(hit)", ["--margin", "hit=0.3"], True),
        ("no-regression(hit)", ["--margin", "30%"], True),
        ("no-regression(hit)", [], False),
    ],
)
def test_the_page_of_a_gate_reads_a_difference_within_the_same_margin(
    workplace, capsys, requirement, more, equivalent
):
    for name, right in (("before", 90), ("again", 88)):
        data = {"id": [f"q{item}" for item in range(100)]}
        metric = {"name": "hit", "scores": [1] * right + [0] * (100 - right)}
        save_run(EvaluationResults.from_dict({"inputs": data, "metrics": [metric]}, name=name), name)
    words = ["again", "--baseline", "before", "--require", requirement, *more, "--html", "gate.html"]
    assert main(["gate", *words]) == (0 if equivalent else 4)
    page = (workplace / "gate.html").read_text(encoding="utf-8").split("</style>")[1]
    assert ("equivalent within 0.3" in page) == equivalent


def test_a_margin_that_no_requirement_uses_is_refused(workplace, capsys):
    words = ["main", "--baseline", "worse", "--require", "hit>=0.5", "--margin", "0.1"]
    assert main(["gate", *words]) == 2
    assert "no requirement is `no-regression` without `within`" in capsys.readouterr().err


def test_a_page_is_written_where_run_and_baseline_share_no_metric(workplace, capsys):
    inputs = {"id": [f"q{item}" for item in range(100)]}
    metrics = [{"name": "other", "scores": [1, 0] * 50}]
    save_run(EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics}, name="other"), "other")
    words = ["main", "--baseline", "other", "--require", "hit>=0.8", "--html", "gate.html"]
    assert main(["gate", *words]) == 0
    assert "hit" in (workplace / "gate.html").read_text(encoding="utf-8")
    assert main(["gate", "main", "--baseline", "other", "--require", "no-regression"]) == 3
    assert "in common" in capsys.readouterr().out


@pytest.fixture
def gappy(workplace):
    keep("gappy", [1] * 97 + [None] * 3)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 3),
        (("--allow-missing", "3%"), 0),
        (("--allow-missing", "0.03"), 0),
        (("--allow-missing", "2%"), 3),
        (("--allow-missing", "3"), 2),
        (("--requirements", "allowing.yaml"), 0),
        (("--requirements", "allowing.toml"), 0),
        (("--requirements", "allowing.yaml", "--allow-missing", "0%"), 3),
        (("--requirements", "allowing.yaml", "--requirements", "other.yaml"), 2),
        (("--requirements", "wrong.yaml"), 2),
        (("--require", "coverage(hit)>=90%"), 0),
    ],
)
def test_missing_scores_are_allowed_on_the_command_line_and_in_files(gappy, workplace, capsys, words, code):
    (workplace / "allowing.yaml").write_text("require: ['hit>=0.5']\nallow_missing: 3%\n")
    (workplace / "allowing.toml").write_text('require = ["hit>=0.5"]\nallow_missing = 0.03\n')
    (workplace / "other.yaml").write_text("require: ['hit>=0.4']\nallow_missing: 4%\n")
    (workplace / "wrong.yaml").write_text("require: ['hit>=0.5']\nallow_missing: lots\n")
    assert main(["gate", "gappy", "--require", "hit>=0.8", *words]) == code
    out, err = capsys.readouterr()
    if code == 2:
        assert len(err.splitlines()) == 1
        assert "missing" in err
    if code == 3:
        assert "--allow-missing 3%" in out
