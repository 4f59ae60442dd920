"""Doing with a page what people do."""

import time

from thresher import EvaluationResults


def until(condition, seconds=15):
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


def many(size):
    scores = [item / size for item in range(size)]
    inputs = {
        "id": [f"m{item}" for item in range(size)],
        "question": [f"question {item}" for item in range(size)],
    }
    return EvaluationResults.from_dict(
        {"inputs": inputs, "metrics": [{"name": "hit", "scores": scores}]}, name="many"
    )
