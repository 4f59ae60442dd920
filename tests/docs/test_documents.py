"""Every Python block of the README and the docs runs, and prints what it says it prints."""

import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from textwrap import dedent

import pytest

from thresher.cli.parser import parser

TOP = Path(__file__).parents[2]
PAGES = sorted([TOP / "README.md", TOP / "CONTRIBUTING.md", *(TOP / "docs").rglob("*.md")])
SHOWING_COMMANDS = [
    page
    for page in [*PAGES, TOP / "tutorials" / "README.md"]
    if "thresher " in page.read_text(encoding="utf-8")
]
TOLD_IN_ORDER = sorted((TOP / "docs" / "coming-from").glob("*.md"))
"""Pages of which a block may use what stands above it; elsewhere every block runs alone."""
BLOCK = re.compile(r"^( *)```python\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^ *```(?:console|sh|bash)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
UNTRIED = re.compile(r'^=== "(?!Command line)([^"]+)"\n\n    ```(?!python\n)', re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)[^)]*\)")
ANCHOR = re.compile(r"\]\((?!https?:)([^)#]*)#([^)]+)\)")
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


def blocks_of(page):
    return [dedent(code) for _, code in BLOCK.findall(page.read_text(encoding="utf-8"))]


def blocks():
    return [
        pytest.param(code, id=f"{page.relative_to(TOP)}:{number}")
        for page in PAGES
        if page not in TOLD_IN_ORDER
        for number, code in enumerate(blocks_of(page), start=1)
    ]


def run_and_compare(code, names):
    shown = [line.removeprefix("#>").strip() for line in code.splitlines() if line.startswith("#>")]
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "block", "exec"), names)  # noqa: S102  # our own documents
    if shown:
        assert [line.strip() for line in printed.getvalue().splitlines()] == shown


@pytest.mark.parametrize("code", blocks())
def test_a_block_runs_and_prints_what_it_shows(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_and_compare(code, {"__name__": "block"})


@pytest.mark.parametrize("page", TOLD_IN_ORDER, ids=lambda page: page.stem)
def test_a_page_told_in_order_runs_from_its_top(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    for code in blocks_of(page):
        run_and_compare(code, names)


@pytest.mark.parametrize("page", TOLD_IN_ORDER, ids=lambda page: page.stem)
def test_only_the_peers_half_of_a_comparison_is_not_run(page):
    untried = UNTRIED.findall(page.read_text(encoding="utf-8"))
    assert [name.casefold() for name in untried] == [page.stem]


@pytest.mark.parametrize("page", SHOWING_COMMANDS, ids=lambda page: str(page.relative_to(TOP)))
def test_commands_that_are_shown_can_be_given(page, capsys):
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line.strip().removeprefix("$ "), comments=True) if "thresher" in line else []
            if words[:1] != ["thresher"]:
                continue
            end = next((place for place, word in enumerate(words) if word in ("||", "|", ">", "&&")), None)
            try:
                parser().parse_args(words[1:end])
            except SystemExit:
                pytest.fail(f"{line}\n{capsys.readouterr().err}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_links_between_pages_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def anchors(page):
    """Ids of the headings of a page, as MkDocs and GitHub derive them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_links_to_headings_name_a_heading(page):
    for target, anchor in ANCHOR.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        assert anchor in anchors(page.parent / target if target else page), f"{target}#{anchor}"
