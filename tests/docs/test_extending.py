"""The files of the page on custom metrics work as described."""

import json
import os
import re
from pathlib import Path

import pytest

from processes import COMMAND_LINE, SCRIPT, run

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
FILE = re.compile(r"^```(?:py|jinja)\n(?:# |\{# )(\S+)(?: #\})?\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = re.search(r"^```text\n(thresher .*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1].splitlines()


@pytest.fixture
def folder(tmp_path):
    """A folder with the files of the page, and data."""
    (tmp_path / "prompts").mkdir()
    for name, text in FILE.findall(PAGE):
        (tmp_path / name).write_text(text)
    row = '{"predicted_answers": "Paris", "ground_truth_answers": "Paris"}\n'
    (tmp_path / "answers.jsonl").write_text(row * 4)
    return tmp_path


def ran(folder, code, *arguments):
    done = run(code, *arguments, folder=folder, environment={**os.environ, "OPENAI_API_KEY": ""})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_metrics_keep_the_laws(folder):
    assert len(FILE.findall(PAGE)) == 10
    assert ran(folder, SCRIPT, "check.py") == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_finds_its_metric(folder, command):
    shown = ran(folder, COMMAND_LINE, *command.split()[1:])
    assert Path(command.split("--plugin ")[1].split()[0]).stem in shown


def test_the_reader_reads_its_files(folder):
    (folder / "answers.lab").write_text("Where? ~ Paris ~ Paris\nWho? ~ Ann ~ Eve\n")
    command = re.search(r"`(thresher run exact_match [^`]*)`", PAGE)[1]
    assert "0.50 " in ran(folder, COMMAND_LINE, *command.split()[1:], "--quiet")


def test_a_metric_of_an_imported_module_is_found_by_name(folder):
    code = "import brevity, thresher; print(thresher.evaluate(['brevity'], 'answers.jsonl').results[0].score)"
    assert ran(folder, code) == "1.0\n"


def test_a_plain_evaluator_of_haystack_works_in_build(folder):
    (folder / "plain.py").write_text(PLAIN)
    assert ran(folder, SCRIPT, "plain.py") == "0.5\n"


PLAIN = """
from haystack import component
from thresher import evaluate


@component
class Plain:
    @component.output_types(individual_scores=list[float], score=float)
    def run(self, predicted_answers: list[str]):
        scores = [float(answer == "a") for answer in predicted_answers]
        return {"individual_scores": scores, "score": sum(scores) / len(scores)}


print(evaluate({"plain": Plain()}, {"predicted_answers": ["a", "b"]}).metric("plain").result.score)
"""


def test_the_reduction_of_its_own_keeps_the_laws(folder):
    """The metric of the page with a statistic `score` and the page's median."""
    text = (folder / "refusals.py").read_text()
    text = text.replace('RatioOfSums((("needless", 1.0),), (("answerable", 1.0),))', "Median()")
    text = text.replace('{"needless": needless, "answerable": answerable}', '{"score": needless}')
    text = text.replace("            item_score=None,\n", "")
    (folder / "refusals.py").write_text(
        text.replace("from typing import Any\n", "from typing import Any\nfrom median import Median\n")
    )
    assert "Median()" in text
    assert ran(folder, SCRIPT, "check.py") == ""
    command = "run needless_refusals --plugin refusals.py --data rows.jsonl --out run --quiet"
    rows = [(answer, ["d1"]) for answer in ("I do not say", "a", "they do not say", "b", "c")]
    lines = [json.dumps({"predicted_answers": answer, "ground_truth_documents": ids}) for answer, ids in rows]
    (folder / "rows.jsonl").write_text("\n".join(lines))
    assert "needless_refusals ↓  0.00" in ran(folder, COMMAND_LINE, *command.split())
    assert "draws" in ran(folder, COMMAND_LINE, "report", "run", "--plugin", "median.py")
