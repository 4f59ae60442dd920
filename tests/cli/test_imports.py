"""Commands without a judge import what they use, and no package that only other commands need."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from processes import COMMAND_LINE, run

pytestmark = pytest.mark.slow

CODE = """
import json, sys
from thresher.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as end:
    code = end.code
heavy = (
    "pandas", "openai", "nltk", "sklearn", "scipy.stats", "haystack", "httpx", "httpx._main", "rich",
    "requests", "posthog.client", "numpy.f2py.f2py2e", "numpy.testing._private",
    "networkx.algorithms", "pydantic.main", "haystack.tools.from_function", "scipy.special._basic",
    "PIL._imaging",
    "thresher.datasets.masks", "thresher.datasets.trec", "thresher.reports.leaderboards.leaderboard",
)
print(json.dumps([code, [name for name in heavy if sys.modules.get(name)]]), file=sys.stderr)
"""
"""A command, and on the last line of standard error its exit code and the heavy modules that it imported."""


HAYSTACK = ["haystack", "httpx"]
"""What Haystack's pipelines import of these."""


def imported(*words: str, folder: Path) -> list[str]:
    """Heavy modules that a command imports in a fresh process."""
    process = subprocess.run(
        [sys.executable, "-c", CODE, *words], capture_output=True, text=True, cwd=folder, check=True
    )
    code, heavy = json.loads(process.stderr.splitlines()[-1])
    assert not code, process.stderr
    return list(heavy)


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
    words = ("run", "qa", "--data", "answers.jsonl", "--out")
    assert imported(*words, "a", folder=path) == HAYSTACK
    assert run(COMMAND_LINE, *words, "b", folder=path).returncode == 0
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("report", "a"),
        ("report", "a", "--format", "json"),
        ("report", "a", "--detailed"),
        ("compare", "a", "b"),
        ("compare", "a", "b", "--detailed"),
        ("--help",),
        ("--version",),
    ],
    ids=" ".join,
)
def test_reading_runs_needs_neither_haystack_nor_pandas(folder, words):
    assert imported(*words, folder=folder) == []


def test_listing_metrics_builds_no_client(folder):
    assert imported("list", folder=folder) == HAYSTACK


def test_running_metrics_of_text_needs_no_pandas(folder):
    words = ("run", "rouge,bleu,exact_match", "--data", "answers.jsonl", "--out", "words")
    assert imported(*words, folder=folder) == HAYSTACK
