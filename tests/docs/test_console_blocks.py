"""Every command of a console block in the docs runs as it is written, with the files that it names."""

import re
import shlex
import shutil
from contextlib import chdir
from pathlib import Path

import pandas as pd
import pytest

import thresher
from docs import workspace
from judges.mock_batches import BatchServer
from judges.mock_server import running
from store_fixtures import gateway, moto
from thresher.cli import main
from thresher.cli.parser import parser

__all__ = ["gateway", "moto"]

TOP = Path(__file__).parents[2]
CONSOLE = re.compile(r"^ *```(?:console|sh|bash)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in sorted((TOP / "docs").rglob("*.md"))
    if re.search(
        r"^ *(?:\$ )?thresher ", "".join(CONSOLE.findall(page.read_text(encoding="utf-8"))), re.MULTILINE
    )
]
ASKING = (
    "agents.md",
    "batches.md",
    "conversations.md",
    "cost.md",
    "judges.md",
    "own-prompts.md",
    "resume.md",
    "runs.md",
)
STORES = ("runs.md",)
MAY_FAIL = {"gate": {0, 1, 4}, "probe": {1, 3}}
"""A gate on simulated runs may pass or not: what counts is that it decides. The simulated judge always
says yes, which leaves no claim that a planted instruction could change."""


def commands(page):
    """The commands of a page with its remarks, which stand for what a person does in between."""
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            text = line.strip().removeprefix("$ ")
            if text.startswith(("thresher ", "# ")):
                yield text


@pytest.fixture(scope="module")
def judge():
    """One address for all pages: a process keeps the client of a judge that it has asked before."""
    server = BatchServer()
    server.behave.seconds = 0  # a batch has ended at its first check
    with running(server) as url:
        yield url


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Every file that the pages name, to be copied for each of them."""
    folder = tmp_path_factory.mktemp("files")
    with chdir(folder):
        workspace.text_workspace()
        workspace.conversation_workspace()
        workspace.retrieval_workspace()
        workspace.vision_workspace()
        workspace.demo_workspace()
        workspace.experiment_workspace()
        shutil.copy(Path(thresher.__file__).parent / "judges/recordings/demo.json.gz", "demo.json.gz")
    return folder


@pytest.fixture
def place(files, tmp_path, monkeypatch):
    """A folder with the files, and a judge where a page names one."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return tmp_path


def label_by_hand():
    """What `a person fills in the column label` says."""
    table = pd.read_csv("to_label.csv", dtype=object)
    table["label"] = ["1", "0"] * (len(table) // 2) + ["1"] * (len(table) % 2)
    table.to_csv("to_label.csv", index=False)


def make_way(words):
    """An example that names no run of its own must not continue the one before it."""
    named = (
        words[words.index("--name") + 1] if "--name" in words else Path(words[words.index("--data") + 1]).stem
    )
    if named != "nightly":
        shutil.rmtree(f"runs/{named}", ignore_errors=True)


def run(text, capsys):
    words = shlex.split(text, comments=True)[1:]
    if "ray" in words:  # needs a cluster: at least its options exist
        parser().parse_args(words)
        return
    if words[0] == "run" and "--data" in words:
        make_way(words)
    workspace.files_of(words)
    code = main(words)
    shown = capsys.readouterr()
    assert code in MAY_FAIL.get(words[0], {0}), f"{text}\n{shown.err}"
    workspace.tidy()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page, place, capsys, monkeypatch, request):
    if page.name in STORES:
        request.getfixturevalue("gateway")
    if page.name in ASKING:
        monkeypatch.setenv("OPENAI_BASE_URL", request.getfixturevalue("judge"))
    for text in commands(page):
        if text.startswith("# "):
            assert "fills in the column `label`" in text
            label_by_hand()
        else:
            run(text, capsys)
