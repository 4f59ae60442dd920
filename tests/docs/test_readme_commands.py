"""The README's commands run in their order, as they are written, on files that ship with the repository."""

import re
import shlex
from pathlib import Path

from thresher.cli import main

TOP = Path(__file__).parents[2]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXIT_CODE = re.compile(r"exit code (\d)")


def commands():
    """The words after `thresher` and the exit code: 0 unless the comment beside the command names another."""
    text = (TOP / "README.md").read_text(encoding="utf-8")
    blocks = (block.replace("\\\n", "") for block in CONSOLE.findall(text))
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    for line in lines:
        if line.startswith("thresher "):
            command, _, comment = line.partition(" #")
            code = EXIT_CODE.search(comment)
            yield shlex.split(command)[1:], int(code[1]) if code else 0


def test_every_command_of_the_readme_runs_as_written(tmp_path, monkeypatch, capsys):
    (tmp_path / "tutorials").symlink_to(TOP / "tutorials")
    monkeypatch.chdir(tmp_path)
    shown = list(commands())
    assert {words[0] for words, _ in shown} >= {
        "experiment",
        "leaderboard",
        "run",
        "report",
        "compare",
        "thresholds",
        "inputs-below",
        "gate",
    }
    for words, code in shown:
        assert main(words) == code, f"thresher {shlex.join(words)}\n{capsys.readouterr().err}"
        written = Path(words[words.index("-o") + 1]).stat().st_size if "-o" in words else 1
        assert capsys.readouterr().out or written
