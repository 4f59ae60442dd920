import json
from pathlib import Path

import numpy as np
import pytest

from thresher.cli import main

ITEMS = 120


def write(name, right, **changes):
    """A file of answers whose scores are recorded in it; `right` is how often they are right."""
    rng = np.random.default_rng(3)
    draws = rng.random(ITEMS)
    rows = [
        {
            "id": f"i{item}",
            "user_input": f"Question {item}?",
            "document": f"d{item // 10}",
            "language": "de" if item % 3 else "en",
            "human": int(draws[item] < 0.6),
            "correct": float(draws[item] < right),
            "judge": float(draws[item] < 0.6) * 0.5 + 0.4 * rng.random(),
            **{key: value(item) for key, value in changes.items()},
        }
        for item in range(ITEMS)
    ]
    Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def run_of(capsys, name, *more):
    pipeline = Path("recorded.yaml")
    if not pipeline.exists():
        import thresher

        metric = thresher.metric_class("recorded_scores")
        pipeline.write_text(
            thresher.build([metric(column="correct"), metric(column="judge", bounds=[0, 1])]).dumps(),
            encoding="utf-8",
        )
    assert main(["run", "recorded.yaml", "--data", f"{name}.jsonl", "--quiet", *more]) == 0
    capsys.readouterr()
    return f"runs/{name}"


@pytest.fixture
def runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write("low", 0.4)
    write("high", 0.7)
    return [run_of(capsys, name) for name in ("low", "high")]


def cli(capsys, *words, code=0):
    assert main(list(words)) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out, err


def test_a_comparison_says_what_is_better_what_is_open_and_why(runs, capsys):
    out, _ = cli(capsys, "compare", *runs)
    (line,) = [line for line in out.splitlines() if line.startswith("correct")]
    assert "+ better" in line
    assert "high against low: better in correct" in out
    assert "Verdicts are corrected for all 2 tests made here (Holm)" in out


@pytest.mark.parametrize("width", [80, 100, 140])
def test_tables_fit_the_terminal(runs, capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    slices = ["--slice", "language"]
    for words in (
        ["compare", *runs],
        ["compare", *runs, runs[0]],
        ["report", runs[0]],
        ["report", runs[0], *slices],
        ["compare", *runs, *slices],
    ):
        out, _ = cli(capsys, *words)
        head = next(line for line in out.splitlines() if line.startswith("metric"))
        table = out[out.index(head) :].split("\n\n")[0]
        assert max(map(len, table.splitlines())) <= width


def test_runs_are_called_alike_whatever_the_width_of_the_terminal(runs, capsys, monkeypatch):
    for width in (60, 80, 100, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        out, _ = cli(capsys, "compare", *runs)
        head = next(line for line in out.splitlines() if line.startswith("metric"))
        assert head.split()[1:3] == ["low", "high"]
        assert "A = " not in out


def test_other_data_are_said_first_and_get_no_verdict_unless_told_to(runs, capsys):
    write(
        "other", 0.7, user_input=lambda item: f"Another question {item}?" if item < 7 else f"Question {item}?"
    )
    other = run_of(capsys, "other")
    out, _ = cli(capsys, "compare", runs[0], other)
    note = "low and other were evaluated on different data: "
    note += "`questions` differs in 7 of 120 items (the first is i0)."
    assert out.splitlines()[0] == note
    assert "! not judged" in out
    assert "other against low: no verdict, because the runs were evaluated on different data." in out
    judged, _ = cli(capsys, "compare", runs[0], other, "--across-settings")
    assert judged.splitlines()[0] == note
    assert "+ better" in judged
    data = json.loads(cli(capsys, "compare", runs[0], other, "--format", "json")[0])
    assert data["notes"][0] == note
    assert {(row["verdict"], row["withheld"]) for row in data["differences"]} == {(None, "other data")}


def test_notes_stand_beside_csv_on_standard_error(runs, capsys):
    write("short", 0.7)
    lines = Path("short.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("short.jsonl").write_text("".join(lines[:100]), encoding="utf-8")
    short = run_of(capsys, "short")
    note = "Compared over the 100 items in both runs (20 only in low)."
    for words in (["compare", runs[0], short], ["compare", runs[0], short, "--detailed"]):
        out, err = cli(capsys, *words, "--format", "csv")
        assert note in err.splitlines()
        assert note not in out
        assert json.loads(cli(capsys, *words, "--format", "json")[0])["notes"] == [note]
        for form in ("table", "markdown"):
            assert note in cli(capsys, *words, "--format", form)[0].splitlines()[0]


def test_a_margin_says_what_does_not_matter(runs, capsys):
    again = cli(capsys, "compare", *runs, "--margin", "correct=0.9")[0]
    assert "within 0.9" in again
    for margin, message in (
        ("judge", "--margin judge: 'judge' is not a number; write one number for all metrics"),
        ("judge=little", "'little' is not a number; write one number for all metrics, or METRIC=NUMBER"),
        ("mrr=0.1", "margin for 'mrr': no run has that metric; there are correct, judge"),
        ("judge=-1", "margin for judge: -1.0 is not a positive number"),
    ):
        assert message in cli(capsys, "compare", *runs, "--margin", margin, code=2)[1]


def test_clusters_widen_intervals_and_are_told(runs, capsys):
    alone = json.loads(cli(capsys, "report", runs[0], "--format", "json")[0])["metrics"]["correct"]
    data = json.loads(cli(capsys, "report", runs[0], "--cluster", "document", "--format", "json")[0])
    clustered = data["metrics"]["correct"]
    assert alone["interval"]["method"] == "one-more"
    assert clustered["interval"]["method"] == "one-more"
    assert (clustered["interval"]["clusters"], clustered["value"]) == (12, alone["value"])
    assert data["notes"] == ["Items of one `document` are not independent: 12 clusters count."]
    shown = cli(capsys, "compare", *runs, "--cluster", "document")[0]
    assert "12 clusters count" in shown.splitlines()[0]
    assert "no input column 'town'" in cli(capsys, "report", runs[0], "--cluster", "town", code=2)[1]


def test_known_bounds_of_recorded_scores_make_their_intervals(runs, capsys):
    methods = {}
    for told_of in ("judge", "judge:0..1", "judge:lower:0..1"):
        out = f"runs/{len(methods)}"
        write("scored", 0.5, user_input=lambda _: "Who?", response=lambda _: "me", reference=lambda _: "me")
        words = ("run", "qa", "--data", "scored.jsonl", "--recorded", told_of, "--out", out, "--quiet")
        cli(capsys, *words)
        facts = json.loads(cli(capsys, "report", out, "--format", "json")[0])["metrics"]["judge"]
        methods[told_of] = (facts["interval"]["method"], facts["direction"], facts["bounds"])
    assert methods == {
        "judge": ("t-hall", "higher", [None, None]),
        "judge:0..1": ("one-more", "higher", [0.0, 1.0]),
        "judge:lower:0..1": ("one-more", "lower", [0.0, 1.0]),
    }
    wrong = (
        "run",
        "qa",
        "--data",
        "scored.jsonl",
        "--recorded",
        "judge:0..0.1",
        "--out",
        "runs/x",
        "--quiet",
    )
    assert "outside its bounds" in cli(capsys, *wrong, code=2)[1]


def test_slices_of_a_run_and_of_a_comparison(runs, capsys):
    shown, _ = cli(capsys, "report", runs[0], "--slice", "language", "--slice", "human == 1")
    assert "language = de" in shown
    assert "human == 1" in shown
    assert "corrected for all 6 tests" in shown
    compared, _ = cli(capsys, "compare", *runs, "--slice", "language", "--metric", "correct")
    assert sum(line.startswith("correct") for line in compared.splitlines()) == 2
    assert (
        "condition 'language ==' cannot be read"
        in cli(capsys, "report", runs[0], "--slice", "language ==", code=2)[1]
    )


def test_items_and_parts_are_not_told_at_once(runs, capsys):
    for words in (["report", runs[0]], ["compare", *runs]):
        line = cli(capsys, *words, "--detailed", "--slice", "language", code=2)[1]
        assert "--detailed shows items and --slice shows slices: remove one of them" in line


def test_the_best_threshold_against_labels(runs, capsys):
    out, _ = cli(capsys, "thresholds", runs[0], "--metric", "judge", "--label", "human")
    assert "Chosen on 50% of the items (seed 20240403), reported on the others." in out
    assert "judge >= 0.5" in out
    data = json.loads(
        cli(
            capsys,
            *("thresholds", runs[0], "--metric", "judge", "--label", "human", "--format", "json"),
            *("--objective", "recall-at-precision=0.95", "--split", "0.3"),
        )[0]
    )
    (threshold,) = data["thresholds"]
    assert threshold["chosen"]["precision"]["value"] >= 0.95
    assert threshold["held_out"] == 84
    assert (
        "objective 'best' is unknown"
        in cli(capsys, "thresholds", runs[0], "--label", "human", "--objective", "best", code=2)[1]
    )
