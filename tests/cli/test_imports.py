"""Commands without a judge import what they use, and no package that only other commands need."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from processes import COMMAND_LINE, run

pytestmark = pytest.mark.slow

CODE = """
import json, shlex, sys
from thresher.cli import main
heavy = (
    "pandas", "openai", "nltk", "sklearn", "scipy.stats", "haystack", "httpx", "httpx._main", "rich",
    "requests", "posthog.client", "numpy.f2py.f2py2e", "numpy.testing._private",
    "networkx.algorithms", "pydantic.main", "haystack.tools.from_function", "scipy.special._basic",
    "PIL._imaging",
    "thresher.datasets.masks", "thresher.datasets.trec", "thresher.reports.leaderboards.leaderboard",
)
for words in map(shlex.split, sys.argv[1:]):
    try:
        code = main(words)
    except SystemExit as end:
        code = end.code
    print(json.dumps([code, [name for name in heavy if sys.modules.get(name)]]), file=sys.stderr)
"""
"""Commands; each ends standard error with a line: its exit code, and the heavy modules imported so far."""


HAYSTACK = ["haystack", "httpx"]
"""What Haystack's pipelines import of these."""


def imported(*commands: str, folder: Path) -> dict[str, list[str]]:
    """Heavy modules after each of some commands in a fresh process."""
    process = subprocess.run(
        [sys.executable, "-c", CODE, *commands], capture_output=True, text=True, cwd=folder, check=True
    )
    ends = [json.loads(line) for line in process.stderr.splitlines() if line.startswith("[")]
    assert [code or 0 for code, _ in ends] == [0] * len(commands), process.stderr
    return dict(zip(commands, (heavy for _, heavy in ends), strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with data, and two runs of them."""
    path = tmp_path_factory.mktemp("imports")
    rows = [
        {
            "id": f"q{number}",
            "question": "Where do the trams run?",
            "predicted_answers": ["Running slowly", "café", "in Rome"][number % 3],
            "ground_truth_answers": "They run in Rome",
            "price": number / 7,
            "count": number,
            "tags": ["a", None],
            "is_open": number % 2 == 0,
        }
        for number in range(12)
    ]
    (path / "answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = "run qa --data answers.jsonl --out"
    assert imported(f"{words} a", folder=path) == {f"{words} a": HAYSTACK}
    assert run(COMMAND_LINE, *words.split(), "b", folder=path).returncode == 0
    return path


def test_reading_runs_needs_neither_haystack_nor_pandas(folder):
    commands = (
        "--version",
        "--help",
        "report a",
        "report a --format json",
        "report a --detailed",
        "compare a b",
        "compare a b --detailed",
    )
    assert imported(*commands, folder=folder) == {command: [] for command in commands}


def test_listing_metrics_builds_no_client(folder):
    assert imported("list", folder=folder) == {"list": HAYSTACK}


def test_running_metrics_of_text_needs_no_pandas(folder):
    command = "run rouge,bleu,exact_match --data answers.jsonl --out words"
    assert imported(command, folder=folder) == {command: HAYSTACK}
