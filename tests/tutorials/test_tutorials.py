"""The tutorials run, and the notebooks show what their twins print."""

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "tutorials"
TWINS = sorted(FOLDER.glob("[0-9]*.py"))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?")


def notebook_of(twin):
    return json.loads(twin.with_suffix(".ipynb").read_text(encoding="utf-8"))


def printed_in(notebook):
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return "".join("".join(output["text"]) for output in outputs if output.get("name") == "stdout")


def code_of(text):
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.stem)
def test_a_notebook_shows_what_its_twin_prints(twin):
    quiet = {"MPLBACKEND": "Agg", "HAYSTACK_TELEMETRY_ENABLED": "False", "OPENAI_API_KEY": ""}
    done = subprocess.run(
        [sys.executable, twin.name], cwd=FOLDER, env={**os.environ, **quiet}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    shown, printed = (text.splitlines() for text in (printed_in(notebook_of(twin)), done.stdout))
    assert NUMBER.findall("\n".join(shown)) == NUMBER.findall("\n".join(printed))
    assert [line.rstrip() for line in shown] == [line.rstrip() for line in printed]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.stem)
def test_a_notebook_holds_the_code_of_its_twin(twin):
    cells = [cell for cell in notebook_of(twin)["cells"] if cell["cell_type"] == "code"]
    code = "\n".join("".join(cell["source"]) for cell in cells)
    assert code_of(code) == code_of(twin.read_text(encoding="utf-8"))


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.stem)
def test_no_cell_of_a_notebook_failed_or_went_to_the_network(twin):
    notebook = notebook_of(twin)
    kinds = {output["output_type"] for cell in notebook["cells"] for output in cell.get("outputs", ())}
    assert kinds <= {"stream", "display_data"}


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.stem)
def test_a_notebook_made_anew_is_the_same_file(twin):
    """Where printed parts come apart is chance, so they are kept as one."""
    for cell in notebook_of(twin)["cells"]:
        kinds = [output["output_type"] for output in cell.get("outputs", ())]
        assert ("stream", "stream") not in pairwise(kinds)
