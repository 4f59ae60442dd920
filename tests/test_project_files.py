"""Files at the top of the repository that repeat facts of the project say the same."""

import tomllib
from pathlib import Path

import yaml

import thresher

TOP = Path(__file__).parents[1]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
TOOLS = {
    "check-added-large-files": "pre-commit-hooks",
    "check-merge-conflict": "pre-commit-hooks",
    "check-toml": "pre-commit-hooks",
    "check-yaml": "pre-commit-hooks",
    "end-of-file-fixer": "pre-commit-hooks",
    "lint-imports": "import-linter",
    "trailing-whitespace-fixer": "pre-commit-hooks",
}
"""Command -> its package, where the names differ."""


def installed_by(*groups):
    """Names of the packages of dependency groups, without versions."""
    entries = [entry for group in groups for entry in PROJECT["dependency-groups"][group]]
    return {entry.partition(">")[0].partition("=")[0] for entry in entries if isinstance(entry, str)}


def test_the_citation_is_of_this_version_and_licence():
    citation = yaml.safe_load((TOP / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == thresher.__version__
    assert citation["license"] == PROJECT["project"]["license"]
    assert citation["keywords"] == PROJECT["project"]["keywords"]


def test_hooks_run_tools_that_their_make_target_installs():
    config = yaml.safe_load((TOP / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"]]
    assert {repo["repo"] for repo in config["repos"]} == {"local"}  # nothing is fetched when a hook runs
    for hook in hooks:
        folder, _, command = hook["entry"].split()[0].rpartition("/")
        assert folder == ".venv/bin"
        assert TOOLS.get(command, command) in installed_by("check", "hooks"), hook["id"]
