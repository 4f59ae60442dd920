"""The tutorials run, and the notebooks show what their twins print."""

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from processes import Forked

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


def started_anew(twin):
    """The exit code, the output and the errors of a script."""
    done = subprocess.run([sys.executable, twin.name], cwd=FOLDER, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def forked(twin):
    """The same, from a process that has loaded already what all of them load."""
    code = "import runpy, sys; sys.path.insert(0, ''); runpy.run_path(sys.argv[1], run_name='__main__')"
    process = Forked(code, twin.name, folder=FOLDER)
    printed, errors = process.communicate()
    return process.returncode, printed, errors


@pytest.mark.slow
@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.stem)
def test_a_notebook_shows_what_its_twin_prints(twin, monkeypatch):
    for name, value in {"MPLBACKEND": "Agg", "OPENAI_API_KEY": ""}.items():
        monkeypatch.setenv(name, value)
    start = started_anew if twin == TWINS[0] else forked  # one as its readers start it
    code, output, errors = start(twin)
    assert code == 0, errors[-2000:]
    shown, printed = (text.splitlines() for text in (printed_in(notebook_of(twin)), output))
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
