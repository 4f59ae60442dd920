"""Doing with a page what people do."""

from pathlib import Path

from thresher import EvaluationResults
from waiting import wait_until


def until(condition, seconds=15):
    """Wait until the page has done what was asked of it."""
    wait_until(condition, seconds)


def downloaded(driver, name):
    """The text of a file that the page saves; the file is deleted."""
    folder = Path(driver.downloads)
    path = folder / name
    until(path.exists)
    # Chromium makes an empty file of this name, and renames another one that it has written.
    until(lambda: path.stat().st_size > 0 and not list(folder.glob("*.crdownload")))
    text = path.read_bytes().decode("utf-8")
    path.unlink()
    return text


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
