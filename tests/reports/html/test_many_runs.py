"""The items of several runs: the chosen pair, all runs, filters over runs, and cards on a narrow screen."""

import pytest

from reports.html.cases import PLANTED
from reports.html.page import choose, control, dialog, find, shown, status, texts, until
from reports.html.test_layout import reach, width
from thresher import EvaluationResults
from thresher.reports.html import html_report

pytestmark = pytest.mark.xdist_group("browser")
IDS = ["a", "b", "c", "d"]
ANSWERS = {
    "one": ["red cat", "a dog", "it rains", "no"],
    "two": ["blue cat", "a dog", "it rains", "no"],
    "three": ["red cat", "a dog", "it snows", "no"],
    "four": ["red cat", "a dog", "it snows", "yes"],
}
SCORES = {
    "one": [1.0, 0.5, 0.5, 0.2],
    "two": [0.4, 0.5, 0.9, 0.2],
    "three": [1.0, 0.5, 0.1, 0.4],
    "four": [1.0, 0.6, 0.1, 0.8],
}


def run(name):
    inputs = {"id": IDS, "question": [f"{item}?" for item in IDS], "predicted_answer": ANSWERS[name]}
    metrics = [{"name": "token_f1", "scores": SCORES[name], "bounds": [0, 1]}]
    plain = EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics})
    settings = {"top_k": {"one": 1, "two": 3}.get(name, 5)}
    return EvaluationResults(plain.inputs, plain.results, name=name, provenance={"settings": settings})


@pytest.fixture(scope="module")
def page():
    return html_report([run(name) for name in SCORES])


def answers(driver, item):
    cells = [cell for cell in texts(driver, ".grid .row .cell") if cell]
    start = cells.index(item)
    return cells[start + 3 :]


def test_the_answers_of_two_chosen_runs_or_of_all_are_side_by_side(opened, page):
    driver = opened(page)
    assert texts(driver, ".grid .heads .text")[1:] == ["A answer", "B answer"]
    assert texts(driver, ".grid del") == ["red"]
    assert texts(driver, ".grid ins") == ["blue"]
    assert answers(driver, "b")[:2] == ["a dog", "same as A"]
    choose(driver, "Run", "C three")
    choose(driver, "Baseline", "C three")  # the other side takes the former baseline
    assert texts(driver, ".grid .heads .text")[1:] == ["C answer", "A answer"]
    assert texts(driver, ".grid ins") == ["rains"]
    control(driver, "All runs").click()
    assert texts(driver, ".grid .heads .text")[1:] == ["C answer", "A answer", "B answer", "D answer"]
    assert sorted(texts(driver, ".grid ins")) == ["blue", "rains", "rains", "yes"]
    assert len(texts(driver, ".grid .heads .number")) == 4 + 1


def test_items_are_filtered_by_what_changed_in_a_run_or_in_any(opened, page):
    from selenium.webdriver.support.ui import Select

    driver = opened(page)
    choose(driver, "Change", "regressed")
    assert shown(driver) == ["a"]
    choose(driver, "Change", "regressed in any run")
    assert set(shown(driver)) == {"a", "c"}
    choose(driver, "Change", "unchanged")
    assert set(shown(driver)) == {"b", "d"}
    control(driver, "Reset").click()
    control(driver, "Flaky").click()
    assert set(shown(driver)) == {"b", "d"}  # C and D have equal settings
    find(driver, "[aria-label='Limit of the score']").send_keys("0.45")
    until(lambda: shown(driver) == ["d"])  # C is below, D above
    control(driver, "Flaky").click()
    assert set(shown(driver)) == {"a", "d"}
    Select(find(driver, "[aria-label='Runs whose score is tested']")).select_by_visible_text("any run")
    assert set(shown(driver)) == {"a", "c", "d"}
    Select(find(driver, "[aria-label='Runs whose score is tested']")).select_by_visible_text("every run")
    assert status(driver) == "0 of 4 items shown"


def test_all_runs_of_an_item_are_next_to_each_other_and_equal_answers_are_shown_once(opened, page):
    driver = opened(page, "#item=d")
    assert texts(driver, "#details .answers .said") == ["no", "no yes"]
    assert texts(driver, "#details .answers .who") == ["ABC", "Dfour"]
    assert texts(driver, "#details tbody th") == ["A baseline", "B", "C", "D"]
    assert texts(driver, "#details td.better") == ["0.400", "0.800"]
    assert "d?" in dialog(driver)


def planted(name, shift):
    """A run whose name, settings, metric and answers are hostile, with scores in which runs differ."""
    size = 12
    inputs = {
        "id": [f"i{item}{PLANTED}" for item in range(size)],
        "question": [f"{item}? {'long ' * 100}{PLANTED}" for item in range(size)],
        "predicted_answer": [f"{name} {item}{PLANTED}" for item in range(size)],
    }
    metrics = [
        {
            "name": f"f1{PLANTED}",
            "scores": [0.1 + shift + item / 100 for item in range(size)],
            "bounds": [0, 1],
        },
        {"name": f"cost{PLANTED}", "scores": [0.1] * size, "primary": False},
    ]
    plain = EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics})
    settings = {f"kind{PLANTED}": f"{name}{PLANTED}"}
    return EvaluationResults(
        plain.inputs, plain.results, name=f"{name}{PLANTED}", provenance={"settings": settings}
    )


def test_markup_in_runs_and_settings_is_text_in_leaderboards_pairs_and_answers(opened):
    runs = [planted(name, shift) for name, shift in (("one", 0), ("two", 0.1), ("three", 0.2))]
    driver = opened(html_report(runs, remarks=[PLANTED]))
    driver.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    control(driver, "All runs").click()
    for part in (
        "#leaderboard .chip",
        "#leaderboard .effects",
        ".pair-index",
        ".pair-panel",
        ".matrix",
        ".grid",
    ):
        assert "<img src=x" in find(driver, part).get_attribute("textContent"), part
    find(driver, ".grid .row").click()
    until(lambda: dialog(driver))
    assert len(find(driver, "#details-title").text) < 310
    find(driver, "#details summary").click()
    assert "<img src=x" in find(driver, "#details details .said").text
    assert not driver.find_elements("css selector", "img")
    assert driver.title != "broken"


def test_on_a_narrow_screen_an_item_is_a_card_with_its_verdict(opened, browser, page):
    with width(browser, 390):
        driver = opened(page)
        assert reach(driver, "html")[0] == 0
        assert reach(driver, ".grid")[0] == 0
        assert texts(driver, ".grid .row .number")[0].split() == ["worse", "1.000", "→", "0.400"]
        assert texts(driver, ".grid .row:first-child .text") == ["a?", "red blue cat"]
        control(driver, "Filters").click()
        choose(driver, "Sort by", "item")
        assert shown(driver) == IDS
        choose(driver, "Change", "improved")
        assert shown(driver) == ["c"]
        with width(browser, 1000):
            until(lambda: len(texts(driver, ".grid .row .cell")) > 6)
