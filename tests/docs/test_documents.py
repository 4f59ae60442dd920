"""Every Python block of the README and the docs runs, and prints what it says it prints."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PAGES = sorted([TOP / "README.md", TOP / "CONTRIBUTING.md", *(TOP / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")


def blocks():
    return [
        pytest.param(text, id=f"{page.relative_to(TOP)}:{number}")
        for page in PAGES
        for number, text in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), start=1)
    ]


@pytest.mark.parametrize("code", blocks())
def test_a_block_runs_and_prints_what_it_shows(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = [line.removeprefix("#>").strip() for line in code.splitlines() if line.startswith("#>")]
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "block", "exec"), {"__name__": "block"})  # noqa: S102  # our own documents
    if shown:
        assert [line.strip() for line in printed.getvalue().splitlines()] == shown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_links_between_pages_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
