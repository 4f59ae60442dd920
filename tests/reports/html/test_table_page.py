"""Pages of one or two tables, such as lists of runs and histories."""

import re

import pytest

from reports.html.test_layout import reach, width
from thresher.reports.html import table_page
from thresher.reports.html.numbers import DASH
from thresher.reports.report import TableReport
from thresher.reports.table import Table

pytestmark = pytest.mark.xdist_group("browser")
COLUMNS = ("run", "started", "token_f1", "since", "pattern", "conclusion")
CONCLUSION = "token_f1 is 0.290 (0.196 to 0.406) on 40 items: the whole interval is at least 0.15."
ROWS = [
    ("night-01", "2026-11-22 19:13", "0.2232 [0.1379, 0.3404]", None, "pFpp", CONCLUSION),
    ("night-02", "2026-11-22 19:14", "0.2597 [0.1671, 0.3802]", "night-01", "ppFF", CONCLUSION),
]


def report(*further):
    shown = TableReport(Table(COLUMNS, ROWS), Table(COLUMNS, ROWS))
    shown.title = "Runs"
    shown.further_tables = lambda: list(further)
    return shown


def test_columns_have_the_names_of_other_formats_and_lines_break_after_underscores():
    headings = re.findall(r"<th [^>]*>(.*?)</th>", table_page(report()))
    assert headings == ["run", "started", "token_<wbr>f1", "since", "pattern", "conclusion"]


def test_a_missing_text_is_aligned_like_the_texts_of_its_column():
    assert f'<td class=" short ">{DASH}</td>' in table_page(report())


def test_signs_of_runs_are_below_each_other():
    assert re.findall(r'<td class=" short id">(.*?)</td>', table_page(report())) == ["pFpp", "ppFF"]


def test_a_single_table_is_named_once_and_several_are_linked():
    alone = table_page(report())
    assert "<nav" not in alone
    assert 'class="hidden">Runs</h2>' in alone
    several = table_page(report(Table(("item",), [("q1",)])))
    assert several.count('<a href="#table-') == 2


def test_on_a_phone_dates_stay_on_a_line_and_sentences_do_not_become_columns_of_words(browser, tmp_path):
    page = tmp_path / "runs.html"
    page.write_text(table_page(report()), encoding="utf-8")
    with width(browser, 390):
        browser.get(page.as_uri())
        assert reach(browser, "html")[0] == 0
        lines = """return [...document.querySelectorAll('tbody tr:first-child td')].map((cell) => {
            const range = document.createRange();
            range.selectNodeContents(cell);
            return range.getClientRects().length;
        })"""
        run, started, value, _, _, conclusion = browser.execute_script(lines)
        assert (run, started, value) == (1, 1, 1)
        assert 1 < conclusion <= 5
