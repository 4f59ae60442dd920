"""Control characters and overrides of direction in data never reach a terminal, in any command."""

import csv
import io
import json
import logging
import re
import sys
import warnings

import pytest
from haystack.components.generators.chat import MockChatGenerator

from thresher import evaluate, open_run
from thresher.cli import main
from thresher.cli.argument_parser import Commands
from thresher.cli.parser import parser
from thresher.cli.streams import VisibleStream, visible_output
from thresher.components import ValorCoherenceEvaluator
from thresher.datasets import read_dataset

EVIL = "\x1b]0;title\x07\x1b[2J\x1b[31mRED\x1b[0m\r\x9b1m\u202egnorw\u2066\u200b\ufeff\n::error::x"
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069\ufeff]|\r(?!\n)"
)
ITEMS = 8
_ABOUT = ("--data", "d.jsonl", "--quiet")
_SIGMAS = ("keypoint_detection", "--gt", "d.jsonl", "--data", "d.jsonl", "--sigmas", EVIL)
_OF_LABELS = (*_SIGMAS[:-1], f"{EVIL}.json")
_GROUPS = ("open_images_detection", "--gt", "d.jsonl", "--gt-format", "open-images", "--data", "d.jsonl")
_FILES = ("--image-labels", "--hierarchy", "--class-descriptions")
WORDS = {
    "completion": [("bash",)],
    "help": [("run",)],
    "list": [()],
    "run": [
        ("qa", *_ABOUT, "--out", "again"),
        ("qa", "--data", f"{EVIL}.jsonl"),
        (f"qa{EVIL}", *_ABOUT),
        ("multilabel_f1", *_ABOUT, "--map", "lang=ground_truths", "--map", "reference=predictions"),
        _SIGMAS,
        _OF_LABELS,
        *((*_GROUPS, option, f"{EVIL}.csv") for option in _FILES),
        (*_GROUPS, "--hierarchy", "d.jsonl", "--class-descriptions", "d.jsonl"),
    ],
    "estimate": [("qa", "--data", "d.jsonl")],
    "report": [
        ("r",),
        ("r", "--detailed"),
        ("r", "--slice", "lang"),
        ("boxes", "--by", "label"),
        ("r", "--by", "label"),
        ("r", "--by", "keypoint"),
        ("judged",),
        ("judged", "--detailed"),
        ("r", "--images", EVIL, "-o", "r.html"),
        ("r", "--images", ".", "-o", "r.html"),
        (EVIL,),
    ],
    "compare": [
        ("r", "other"),
        ("r", "other", "--detailed"),
        ("r", "other", "--slice", "lang"),
        ("boxes", "found", "--by", "label"),
        ("r", "other", "--by", "keypoint"),
        ("r", "judged"),
    ],
    "thresholds": [
        ("r",),
        ("r", "--label", "human", "--metric", "token_f1"),
        ("r", "--metric", EVIL),
        ("boxes",),
        ("boxes", "--choose-on", f"{EVIL}=1"),
        ("r", "--label", "human", "--metric", "token_f1", "--export", f"{EVIL}.json"),
    ],
    "inputs-below": [
        ("r", "--metric", "exact_match", "--threshold", "0.5"),
        ("r", "--metric", "x", "--threshold", "1"),
    ],
    "gate": [
        ("r", "--require", "exact_match[by lang]>=0.9", "--baseline", "other"),
        ("judged", "--require", "valor_coherence>=0.5"),
        ("r", "--require", f"{EVIL}>=1"),
        ("boxes", "--require", "held_out(detection_best_threshold)>=1", "--choose-on", f"{EVIL}=1"),
    ],
    "verify": [("r",), ("r", "other"), (EVIL,)],
    "plan": [("--difference", "0.1", "--pilot", "r", "other"), ("--difference", "0.1", "--pilot", "r", EVIL)],
    "labels draw": [("r", "--n", "5")],
    "labels read": [
        ("r", "--labels", "labels.csv", "--metric", "exact_match"),
        ("r", "--labels", "d.jsonl", "--metric", "x"),
    ],
    "demo": [("--unknown" + EVIL,)],
    "probe": [("--judge-model", f"recorded:{EVIL}"), ("--min", f"{EVIL}=1")],
}
"""Command -> arguments that make it print text from data, names, files or errors."""
DEFAULT = [("r",)]
"""Arguments of a command that is not listed."""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def rows():
    for item in range(ITEMS):
        yield {
            "id": f"i{item}{EVIL if item % 3 else ''}",
            "question": EVIL + str(item),
            "response": EVIL + "a",
            "reference": "a" if item % 2 else EVIL,
            "lang": EVIL if item % 2 else "de",
            "human": item % 2,
            f"column {EVIL}": EVIL,
        }


def failing(messages):
    raise RuntimeError(f"the server says {EVIL}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = read_dataset(folder / "d.jsonl")
        evaluate("qa", data, name=f"r {EVIL}", out=folder / "r")
        evaluate("qa", data.head(ITEMS - 2), name=f"o {EVIL}", out=folder / "other")
        judge = ValorCoherenceEvaluator(MockChatGenerator(response_fn=failing))
        evaluate([judge], {"id": data.ids, "response": [EVIL] * ITEMS}, out=folder / "judged")
    image = {"labels": [EVIL, "b"], "boxes": [[0, 0, 9, 9], [9, 9, 20, 20]]}
    for name, scores in (("boxes", [0.9, 0.8]), ("found", [0.8, 0.9])):
        boxes = {"id": data.ids, "ground_truths": [image] * ITEMS}
        evaluate(
            "object_detection",
            boxes | {"predictions": [image | {"scores": scores}] * ITEMS},
            out=folder / name,
        )
    labels = "".join(f'"{key}",{place % 2}\n' for place, key in enumerate(data.ids))
    (folder / "labels.csv").write_text("id,label\n" + labels, encoding="utf-8", newline="")
    return folder


def commands():
    """Name of every command -> its parser."""

    def below(name, command):
        nested = [action for action in command._actions if isinstance(action, Commands)]
        if not nested:
            return {name.strip(): command}
        return {
            k: v for word, sub in nested[0].choices.items() for k, v in below(f"{name} {word}", sub).items()
        }

    return below("", parser())


def calls():
    for name, command in commands().items():
        formats = next((action.choices for action in command._actions if action.dest == "format"), None)
        for words in WORDS.get(name, DEFAULT):
            for form in formats or (None,):
                chosen = [] if form is None else ["--format", form]
                yield pytest.param(
                    [*name.split(), *words, *chosen],
                    form,
                    id=f"{name}-{form}-{WORDS.get(name, DEFAULT).index(words)}",
                )


def test_the_listed_commands_exist():
    assert set(WORDS) <= set(commands())


@pytest.mark.parametrize(("words", "form"), list(calls()))
def test_no_hidden_character_reaches_a_terminal(folder, monkeypatch, words, form):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stdout", output := Terminal())
    monkeypatch.setattr(sys, "stderr", errors := Terminal())
    try:
        main(words)
    except SystemExit:
        assert "unknown" in str(words) or words[0] == "help"
    assert "Traceback" not in errors.getvalue()
    assert not HIDDEN.findall(output.getvalue() + errors.getvalue())
    assert "\n::error::x" not in errors.getvalue()
    if form not in {"csv", "html", None}:
        assert "\n::error::x" not in output.getvalue()


def test_csv_in_a_pipe_is_the_data(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["report", "r", "--detailed", "--format", "csv"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out, newline="")))
    assert [line["questions"] for line in lines] == [EVIL + str(item) for item in range(ITEMS)]


def test_raw_is_an_option_of_csv(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["report", "r", "--raw"]) == 2
    assert "--raw is an option of CSV, not of table: add --format csv" in capsys.readouterr().err


def test_a_line_break_in_data_does_not_break_a_table(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["report", "r", "--slice", "lang"]) == 0
    table = capsys.readouterr().out
    assert "RED" in table
    assert all("RED" in line for line in table.splitlines() if "::error::" in line)


def test_logs_are_guarded(monkeypatch):
    errors = io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    with visible_output():
        handler = logging.StreamHandler()
        handler.emit(logging.LogRecord("x", logging.WARNING, __file__, 1, EVIL, None, None))
        sys.stderr.writelines([EVIL])
    assert errors.getvalue().count("\\x1b[2J") == 2
    assert not HIDDEN.findall(errors.getvalue())


def test_streams_are_guarded_once_and_restored(monkeypatch):
    before = sys.stdout, sys.stderr
    with visible_output(), visible_output():
        assert not isinstance(sys.stdout.unguarded, VisibleStream)
    assert (sys.stdout, sys.stderr) == before


@pytest.mark.parametrize("form", ["table", "markdown", "json", "latex", "html"])
def test_reports_for_python_are_visible_too(folder, form):
    results = open_run(folder / "r")
    text = results.individual_sliced_score_report(["lang"], output_format=form)
    assert not HIDDEN.findall(text)
    assert "RED" in text
    assert not HIDDEN.findall(results.gate(["exact_match[by lang]>=0.9"]).explanation())
