"""The file in a real browser: what people do with it, and that it does nothing else."""

import csv
import io
import time
from importlib.resources import files
from pathlib import Path

import pytest

from reports.html.browser import requested
from reports.html.cases import PLANTED, pair
from thresher import EvaluationResults
from thresher.reports.html import html_report

pytestmark = pytest.mark.xdist_group("browser")


def until(condition, seconds=5):
    """Wait until the page has done what was asked of it."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the page did not do it in time"
        time.sleep(0.02)


def find(driver, selector):
    return driver.find_element("css selector", selector)


def texts(driver, selector):
    script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText.trim())"
    return driver.execute_script(script, selector)


def control(driver, label):
    """The control under a label of the toolbar."""
    script = """return [...document.querySelectorAll('#toolbar label, #toolbar button')]
        .find((each) => each.innerText.trim().startsWith(arguments[0]))"""
    found = driver.execute_script(script, label)
    return found if found.tag_name == "button" else find(found, "input, select")


def choose(driver, label, value):
    from selenium.webdriver.support.ui import Select

    Select(control(driver, label)).select_by_visible_text(value)


def keys(driver, *names):
    """Press keys wherever the focus is."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    for name in names:
        ActionChains(driver).send_keys(getattr(Keys, name, name)).perform()


def shown(driver):
    return texts(driver, ".grid .row .cell:first-child")


def status(driver):
    return find(driver, "#shown").text


def focused(driver):
    script = "const e = document.activeElement; return [e.closest('.row')?.dataset.place, e.ariaColIndex]"
    return driver.execute_script(script)


def dialog(driver):
    return find(driver, "#details").text if find(driver, "#details").get_attribute("open") else ""


def test_search_finds_every_word_in_any_text(opened):
    driver = opened(html_report(pair()))
    assert status(driver) == "30 of 30 items shown"
    control(driver, "Search").send_keys("tower 17")
    until(lambda: status(driver) == "1 of 30 items shown")
    assert shown(driver) == ["t017"]
    control(driver, "Search").clear()
    control(driver, "Search").send_keys("tall")
    until(lambda: status(driver) == "6 of 30 items shown")
    control(driver, "Search").send_keys(" nowhere")
    until(lambda: status(driver) == "0 of 30 items shown")
    assert "No item fits." in find(driver, "#grid").text
    control(driver, "Reset").click()
    until(lambda: status(driver) == "30 of 30 items shown")


def test_regressions_come_first_and_can_be_shown_alone(opened):
    driver = opened(html_report(pair()))
    lost = [f"t{item:03d}" for item in range(3, 30, 6)]
    assert shown(driver)[: len(lost)] == lost
    control(driver, "Regressions only").click()
    until(lambda: status(driver) == "5 of 30 items shown")
    assert shown(driver) == lost
    control(driver, "Reset").click()
    control(driver, "Answers differ").click()
    until(lambda: status(driver) == "6 of 30 items shown")


def test_a_click_on_a_heading_sorts_and_another_turns_it_around(opened):
    driver = opened(html_report(pair()[:1]))
    heading = next(
        each for each in driver.find_elements("css selector", ".heads button") if "Latency" in each.text
    )
    heading.click()
    scores = [float(cell) for cell in texts(driver, ".grid .row .cell:last-child")]
    assert scores == sorted(scores, reverse=True)
    assert find(driver, "[aria-sort=descending]").text.startswith("Latency")
    find(driver, "[aria-sort=descending] button").click()
    scores = [float(cell) for cell in texts(driver, ".grid .row .cell:last-child")]
    assert scores == sorted(scores)
    assert find(driver, "[aria-sort=ascending]").text.startswith("Latency")


def test_items_can_be_filtered_by_score_and_by_status(opened):
    driver = opened(html_report(pair()))
    find(driver, "[aria-label='Limit of the score']").send_keys("0.5")
    until(lambda: status(driver) == "19 of 30 items shown")
    control(driver, "Reset").click()
    choose(driver, "Status", "failed")
    until(lambda: status(driver) == "1 of 30 items shown")
    assert shown(driver) == ["t004"]
    assert "failed" in find(driver, ".row").text
    choose(driver, "Status", "scored")
    until(lambda: status(driver) == "29 of 30 items shown")


def test_the_details_tell_everything_of_an_item(opened):
    driver = opened(html_report(pair()), "#item=t005")
    told = dialog(driver)
    for words in ("How high is tower 5?", "45 metres", "It is 45 m high.", "The passage says", "human label"):
        assert words in told
    assert texts(driver, "del") == ["It", "high"]
    assert texts(driver, "ins") == ["The tower", "tall"]
    assert set(texts(driver, "mark")) == {"is 45 m high"}
    assert "passage 1" in told
    assert {"yes"} == set(texts(driver, ".passages .verdict"))


def test_a_missing_score_tells_its_status_reason_and_raw_reply(opened):
    driver = opened(html_report(pair()), "#item=t004")
    assert "failed\nno answer" in dialog(driver)
    find(driver, "#details details summary").click()
    assert "raw reply 4" in dialog(driver)


def test_an_item_has_an_address(opened):
    driver = opened(html_report(pair()))
    find(driver, ".grid .row").click()
    until(lambda: dialog(driver))
    assert driver.current_url.endswith("#item=t003")
    find(driver, "[aria-label='Next item']").click()
    until(lambda: driver.current_url.endswith("#item=t009"))
    assert "How high is tower 9?" in dialog(driver)
    driver.back()
    until(lambda: not dialog(driver))
    assert "#" not in driver.current_url
    driver.execute_script("location.hash = '#item=nobody'")
    until(lambda: "nobody is not in this file" in status(driver))


def test_everything_can_be_done_by_keys(opened):
    driver = opened(html_report(pair()))
    driver.execute_script("document.querySelector('.grid [tabindex=\"0\"]').focus()")
    assert focused(driver) == ["0", "1"]
    keys(driver, "ARROW_DOWN", "ARROW_DOWN", "ARROW_RIGHT")
    assert focused(driver) == ["2", "2"]
    keys(driver, "PAGE_DOWN", "END")
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


def test_the_threshold_counts_what_passes_and_how_right_that_is(opened):
    driver = opened(html_report(pair()[:1]))
    panel = "#threshold-panel"
    assert "15 of 30 items pass, 15 do not." in find(driver, f"{panel} .reading").text
    assert texts(driver, f"{panel} .measures dd") == ["1.000", "1.000", "1.000"]
    slider = find(driver, f"{panel} input[type=range]")
    driver.execute_script("arguments[0].value = 0; arguments[0].dispatchEvent(new Event('input'))", slider)
    assert "30 of 30 items pass, 0 do not." in find(driver, f"{panel} .reading").text
    assert texts(driver, f"{panel} .measures dd") == ["0.500", "1.000", "0.667"]
    assert texts(driver, f"{panel} .outcome td.number") == ["15", "0", "15", "0"]
    slider.click()
    keys(driver, "END")
    assert slider.get_attribute("aria-valuetext") == "1.000"
    next(
        each for each in driver.find_elements("css selector", f"{panel} button") if "not pass" in each.text
    ).click()
    until(lambda: status(driver) == "15 of 30 items shown")


def test_without_labels_the_threshold_counts_only(opened):
    driver = opened(html_report([many(50)]))
    assert "pass" in find(driver, "#threshold-panel .reading").text
    assert not driver.find_elements("css selector", "#threshold-panel .measures")


def test_what_is_shown_can_be_saved_as_csv(opened):
    driver = opened(html_report(pair()))
    control(driver, "Search").send_keys('"tower" 17')
    control(driver, "Search").clear()
    control(driver, "Regressions only").click()
    until(lambda: status(driver) == "5 of 30 items shown")
    control(driver, "CSV").click()
    path = Path(driver.downloads, "items.csv")
    until(path.exists)
    until(lambda: path.stat().st_size > 0)
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    path.unlink()
    assert [row["id"] for row in rows] == shown(driver)
    assert rows[0]["questions"] == "How high is tower 3?"
    assert rows[0]["faithfulness_first"] == "1"
    assert rows[0]["faithfulness_second"] == "0"
    assert rows[0]["faithfulness_second_status"] == "scored"
    assert rows[0]["contexts"].startswith('["The tower number 3')


def test_colours_follow_the_system_until_the_button_says_otherwise(opened):
    driver = opened(html_report(pair()))
    paper = "return getComputedStyle(document.body).backgroundColor"
    before = driver.execute_script(paper)
    find(driver, "#theme").click()
    assert driver.execute_script(paper) != before
    find(driver, "#theme").click()
    assert driver.execute_script(paper) == before


def test_markup_in_the_data_is_never_more_than_text(opened):
    driver = opened(html_report(pair(PLANTED)))
    assert not driver.find_elements("css selector", "img")
    assert "<img src=x" in find(driver, ".grid").text
    find(driver, ".grid .row").click()
    until(lambda: dialog(driver))
    driver.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert dialog(driver).count("<img src=x") > 10
    assert not driver.find_elements("css selector", "img")
    assert driver.title != "broken"
    problems = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    assert problems == []


def test_no_request_leaves(opened):
    driver = opened(html_report(pair()))
    driver.get_log("performance")
    driver.refresh()
    until(lambda: status(driver))
    find(driver, ".grid .row").click()
    until(lambda: dialog(driver))
    addresses = requested(driver)
    assert addresses
    assert all(
        address.startswith("file:///") and address.split("#")[0].endswith("report.html")
        for address in addresses
    )


def test_objects_are_drawn_and_can_be_limited_by_score(opened):
    truths = [{"labels": ["cat", "dog"], "boxes": [[0, 0, 40, 40], [50, 50, 90, 80]]}]
    found = [{"labels": ["cat", "cat"], "boxes": [[2, 2, 41, 38], [60, 0, 80, 30]], "scores": [0.9, 0.3]}]
    run = EvaluationResults.from_dict(
        {
            "inputs": {"id": ["one"], "ground_truths": truths, "predictions": found},
            "metrics": [{"name": "f1", "scores": [0.5]}],
        }
    )
    driver = opened(html_report([run]), "#item=one")
    assert len(driver.find_elements("css selector", ".drawing .truth rect")) == 2
    assert len(driver.find_elements("css selector", ".drawing .found rect")) == 2
    slider = find(driver, "[aria-label='least score drawn']")
    driver.execute_script("arguments[0].value = 0.5; arguments[0].dispatchEvent(new Event('input'))", slider)
    assert len(driver.find_elements("css selector", ".drawing .found rect")) == 1
    assert "cat 0.90" in find(driver, ".drawing").text


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            "the red cat sat down here",
            "the blue cat sat down here",
            ["=the", "-red", "+blue", "=cat sat down here"],
        ),
        ("one two", "one two", ["=one two"]),
        ("", "all new", ["+all new"]),
        ("a b c d e", "x b y d z", ["-a b c d e", "+x b y d z"]),
        ("猫は東京都にいる", "猫は大阪府にいる", ["=猫は", "-東京都", "+大阪府", "=にいる"]),
        ("same  blanks", "same blanks", ["=same blanks"]),
    ],
)
def test_words_that_differ_are_found_and_lone_words_in_common_are_not_kept(browser, before, after, told):
    code = (files("thresher.reports.html") / "assets/words.js").read_text(encoding="utf-8")
    browser.get("about:blank")
    parts = browser.execute_script(f"{code}\nreturn wordDifference(...arguments)", before, after)
    signs = {"same": "=", "gone": "-", "new": "+"}
    assert [signs[part["kind"]] + part["text"].strip() for part in parts] == told


def test_a_narrow_page_does_not_scroll_sideways(opened, browser):
    size = browser.get_window_size()
    browser.set_window_size(420, 800)
    try:
        driver = opened(html_report(pair()))
        width = driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1]
    finally:
        browser.set_window_size(size["width"], size["height"])


def many(size):
    scores = [item / size for item in range(size)]
    inputs = {
        "id": [f"m{item}" for item in range(size)],
        "question": [f"question {item}" for item in range(size)],
    }
    return EvaluationResults.from_dict(
        {"inputs": inputs, "metrics": [{"name": "hit", "scores": scores}]}, name="many"
    )
