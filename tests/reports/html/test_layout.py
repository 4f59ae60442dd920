"""What fits into windows of several widths, and what shows that more is out of sight."""

from contextlib import contextmanager

import numpy as np
import pytest

from reports.html.page import find, until
from thresher import EvaluationResults
from thresher.reports.html import html_report

pytestmark = pytest.mark.xdist_group("browser")
METRICS = ("faithfulness", "token_f1", "exact_match", "recall", "rouge_l", "hit_rate")


def run(name, seed, metrics=METRICS):
    rng = np.random.default_rng(seed)
    scores = [{"name": metric, "scores": rng.random(12).round(3).tolist()} for metric in metrics]
    inputs = {
        "id": [f"q{item}" for item in range(12)],
        "question": ["How long is the coast of the island, measured with a ruler of one metre?"] * 12,
    }
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": scores}, name=name)


@contextmanager
def width(driver, pixels):
    size = {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def reach(driver, selector):
    """How far the content of a box reaches beyond its edge, and how high its scroll bar is."""
    script = """const box = document.querySelector(arguments[0]);
        return [box.scrollWidth - box.clientWidth, box.offsetHeight - box.clientHeight]"""
    return driver.execute_script(script, selector)


def shadowed(driver):
    return "more" in find(driver, ".frame").get_attribute("class").split()


@pytest.mark.parametrize("pixels", [1300, 1000])
def test_the_differences_of_six_metrics_fit(opened, browser, pixels):
    with width(browser, pixels):
        driver = opened(html_report([run("A", 1), run("B", 2)], margin=0.05))
        assert reach(driver, "html")[0] == 0
        assert reach(driver, "#comparison .scroll")[0] == 0


def test_on_a_phone_differences_are_cards_with_the_verdict_in_sight(opened, browser):
    with width(browser, 390):
        driver = opened(html_report([run("A", 1), run("B", 2), run("C", 3)], slice_by="question"))
        assert reach(driver, "html")[0] == 0
        find(driver, ".pair-panel summary").click()
        cells = driver.find_elements("css selector", ".pair-panel:not([hidden]) .verdict-cell")
        assert cells
        for cell in cells:
            if cell.is_displayed():
                assert cell.text.split()[0] in ("better", "worse", "inconclusive", "secondary")
                assert cell.rect["x"] + cell.rect["width"] <= 390
        first = find(driver, "#comparison .differences tbody tr")
        label = "return getComputedStyle(arguments[0], '::before').content"
        assert "wins / ties / losses" in driver.execute_script(label, find(first, ".counts"))
        assert find(first, ".verdict-cell").rect["y"] < find(first, ".plot").rect["y"]
        assert find(driver, ".matrix tbody th").value_of_css_property("position") == "sticky"


LONG = ["search=embeddings,chunk=100,overlap=20,top_k=3", "search=bm25,chunk=100,overlap=20,top_k=5"]


@pytest.mark.parametrize("names", [LONG, [*LONG, "search=bm25,chunk=25,overlap=5,top_k=1", "no_break" * 12]])
def test_long_names_of_runs_wrap_between_settings_next_to_their_letter(opened, browser, names):
    with width(browser, 390):
        driver = opened(html_report([run(name, seed) for seed, name in enumerate(names)]))
        assert reach(driver, "html")[0] == 0
        tops = """return [...document.querySelectorAll('header .badge, .pair-index .badge')].map((badge) =>
            badge.nextElementSibling.getClientRects()[0].top - badge.getBoundingClientRect().bottom)"""
        offsets = driver.execute_script(tops)
        assert len(offsets) >= len(names)
        assert all(offset < 0 for offset in offsets)
        lines = """const name = document.querySelector('header .badge + span');
            const range = document.createRange();
            return [...name.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => {
              range.selectNodeContents(node);
              return new Set([...range.getClientRects()].map((box) => box.top)).size;
            })"""
        assert set(driver.execute_script(lines)) == {1}  # no line breaks within a setting


def test_cells_of_a_leaderboard_card_have_the_colour_of_the_card(opened, browser):
    with width(browser, 390):
        driver = opened(html_report([run(name, seed) for seed, name in enumerate("ABC")]))
        colour = """return [...document.querySelectorAll('.leaderboard .rank')]
            .map((cell) => getComputedStyle(cell).backgroundColor)"""
        assert set(driver.execute_script(colour)) == {"rgba(0, 0, 0, 0)"}


def test_leaderboards_and_differences_fit_on_a_sheet_of_paper(opened, browser):
    sheet = 718  # pixels between the margins of A4
    with width(browser, sheet):
        driver = opened(html_report([run(name, seed) for seed, name in enumerate(LONG)], margin=0.05))
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            assert reach(driver, "#comparison .scroll")[0] == 0
            runs = [run(name, seed, METRICS[:2]) for seed, name in enumerate("ABCD")]
            driver = opened(html_report(runs))
            assert reach(driver, "#leaderboard .scroll")[0] == 0
            assert reach(driver, "#comparison .scroll")[0] == 0
        finally:
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_one_pair_of_runs_is_shown_at_a_time_in_all_sections(opened):
    driver = opened(html_report([run("A", 1), run("B", 2), run("C", 3)], slice_by='question != ""'))
    visible = """return [...document.querySelectorAll('.pair-panel')]
        .filter((panel) => panel.checkVisibility()).map((panel) => panel.id)"""
    assert driver.execute_script(visible) == ["pair-1", "slices-pair-1"]
    driver.find_elements("css selector", "#slices .pair-index a")[1].click()
    assert driver.execute_script(visible) == ["pair-2", "slices-pair-2"]
    assert find(driver, "#comparison .pair-index [aria-current=true]").text.startswith("C")


def test_the_items_of_six_metrics_fit_into_a_usual_window(opened, browser):
    with width(browser, 1300):
        driver = opened(html_report([run("A", 1), run("B", 2)]))
        assert reach(driver, ".grid")[0] == 0
        assert not shadowed(driver)


@pytest.mark.parametrize(
    ("pixels", "metrics"),
    [(700, METRICS), (1000, METRICS), (1300, [f"{m}_{n}" for m in METRICS for n in "123"])],
)
def test_columns_out_of_sight_cast_a_shadow_and_have_a_scroll_bar(opened, browser, pixels, metrics):
    with width(browser, pixels):
        driver = opened(html_report([run("A", 1, metrics), run("B", 2, metrics)]))
        assert reach(driver, "html")[0] == 0
        beyond, bar = reach(driver, ".grid")
        assert beyond > 0
        assert bar > 2  # the borders
        assert shadowed(driver)
        driver.execute_script("const box = document.querySelector('.grid'); box.scrollLeft = box.scrollWidth")
        until(lambda: not shadowed(driver))


def test_the_shadow_follows_the_width_of_the_window(opened, browser):
    with width(browser, 1300):
        driver = opened(html_report([run("A", 1), run("B", 2)]))
        assert not shadowed(driver)
        with width(browser, 700):
            until(lambda: shadowed(driver))
