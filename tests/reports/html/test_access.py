"""The file by keys, for screen readers, on paper and on small screens."""

import pytest

from reports.html.cases import pair
from reports.html.page import dialog, find, focused, keys, many, shown, until
from thresher.reports.html import html_report

pytestmark = pytest.mark.xdist_group("browser")


@pytest.mark.slow
def test_everything_can_be_done_by_keys(opened):
    driver = opened(html_report(pair()))
    driver.execute_script("document.querySelector('.grid [tabindex=\"0\"]').focus()")
    assert focused(driver) == ["0", "1"]
    keys(driver, "ARROW_DOWN", "ARROW_DOWN", "ARROW_RIGHT")
    assert focused(driver) == ["2", "2"]
    keys(driver, "PAGE_DOWN", "PAGE_DOWN", "END")
    assert int(focused(driver)[0]) > 10
    keys(driver, "HOME", "ARROW_UP")
    assert focused(driver)[1] == "1"
    before = focused(driver)
    keys(driver, "ENTER")
    until(lambda: dialog(driver))
    keys(driver, "ARROW_RIGHT")
    keys(driver, "ESCAPE")
    until(lambda: not dialog(driver))
    assert focused(driver) == before


def test_rows_out_of_sight_are_counted_but_do_not_exist(opened):
    driver = opened(html_report([many(5000)]))
    grid = find(driver, "[role=grid]")
    assert grid.get_attribute("aria-rowcount") == "5001"
    assert len(shown(driver)) < 60
    driver.execute_script("arguments[0].scrollTop = arguments[0].scrollHeight", grid)
    until(lambda: "m4999" in shown(driver))
    assert len(shown(driver)) < 60
    assert find(driver, ".row:last-child").get_attribute("aria-rowindex") == "5001"
    driver.execute_script("arguments[0].focus()", grid)
    keys(driver, "ARROW_DOWN")
    assert focused(driver) == ["1", "1"]


def test_colours_follow_the_system_until_the_button_says_otherwise(opened):
    driver = opened(html_report(pair()))
    paper = "return getComputedStyle(document.body).backgroundColor"
    before = driver.execute_script(paper)
    find(driver, "#theme").click()
    assert driver.execute_script(paper) != before
    find(driver, "#theme").click()
    assert driver.execute_script(paper) == before


def test_every_control_has_a_name_every_table_a_caption_every_drawing_a_label(opened):
    driver = opened(html_report(pair(), slice_by="human_label"))
    for place in ("body", "#details"):
        if place == "#details":
            find(driver, ".grid .row").click()
            until(lambda: dialog(driver))
        controls = driver.find_elements("css selector", f"{place} :is(button, input, select, a)")
        shown = [control for control in controls if control.is_displayed()]
        assert shown
        assert not [each.get_attribute("outerHTML") for each in shown if not each.accessible_name]
    lacking = """return [
        ...[...document.querySelectorAll('table')].filter((each) => !each.caption),
        ...[...document.querySelectorAll('main svg:not([aria-hidden=true])')].filter(
            (each) => !each.getAttribute('aria-label')),
        ...[...document.querySelectorAll('section:not([aria-label])')].filter((each) =>
            !document.getElementById(each.getAttribute('aria-labelledby'))),
        ...[...document.querySelectorAll('thead th')].filter((each) => each.scope !== 'col'),
        ...[...document.querySelectorAll('tbody th')].filter((each) => !/^row/.test(each.scope)),
    ].map((each) => each.outerHTML)"""
    assert driver.execute_script(lacking) == []
    assert find(driver, "#shown").get_attribute("aria-live") == "polite"
    assert find(driver, "#details").get_attribute("aria-labelledby") == "details-title"


def test_the_focus_can_be_seen_and_goes_into_the_details_and_back(opened):
    driver = opened(html_report(pair()))
    keys(driver, "TAB")
    assert driver.switch_to.active_element.get_attribute("class") == "skip"
    keys(driver, "ENTER", "TAB")
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert driver.execute_script(outline) == "solid"
    driver.execute_script("document.querySelector('.grid [tabindex=\"0\"]').focus()")
    keys(driver, "ENTER")
    until(lambda: dialog(driver))
    keys(driver, "TAB", "TAB", "TAB", "TAB", "TAB", "TAB", "TAB")
    assert driver.execute_script(
        "return document.activeElement.closest('dialog') !== null || document.activeElement === document.body"
    )


def test_paper_has_the_figures_the_first_items_and_what_was_folded(opened):
    driver = opened(html_report([many(150)]))
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        driver.execute_script("dispatchEvent(new Event('beforeprint'))")
        assert len(shown(driver)) == 100
        assert "The first 100 are printed." in find(driver, ".printed").text
        assert not find(driver, "#toolbar").is_displayed()
        assert "hit|" in find(driver, ".signatures").text
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert len(shown(driver)) < 60
    assert find(driver, ".signatures").text == ""


def test_a_narrow_page_does_not_scroll_sideways(opened, browser):
    size = browser.get_window_size()
    browser.set_window_size(420, 800)
    try:
        driver = opened(html_report(pair()))
        width = driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1]
    finally:
        browser.set_window_size(size["width"], size["height"])


def test_without_javascript_a_page_says_what_is_lacking(browser, tmp_path):
    page = tmp_path / "report.html"
    page.write_text(html_report([many(5)]), encoding="utf-8")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.as_uri())
        assert find(browser, "#overview table").is_displayed()
        assert find(browser, "#thresholds").text == "Thresholds\nThe thresholds need JavaScript."
        assert find(browser, "#items").text == "Items\nThe table of items needs JavaScript."
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
