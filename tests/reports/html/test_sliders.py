"""Thresholds and boxes in a real browser."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from reports.html.cases import pair
from reports.html.page import find, keys, many, status, texts, until
from thresher import EvaluationResults
from thresher.components.classification.accuracy import ClassificationAccuracyEvaluator
from thresher.components.classification.precision_recall_curve import (
    ClassificationPrecisionRecallCurveEvaluator,
)
from thresher.errors import DataWarning
from thresher.reports.html import html_report
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics

pytestmark = pytest.mark.xdist_group("browser")


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


def test_a_page_of_thresholds_alone_works(opened):
    driver = opened(html_report(pair()[:1], sections=["thresholds"]))
    assert "15 of 30 items pass, 15 do not." in find(driver, "#threshold-panel .reading").text
    assert not [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def test_the_line_of_the_lowest_threshold_does_not_cross_the_numbers_of_the_axis(opened):
    driver = opened(html_report([many(50)]))
    slider = find(driver, "#threshold-panel input[type=range]")
    driver.execute_script("arguments[0].value = 0; arguments[0].dispatchEvent(new Event('input'))", slider)
    script = """const line = document.querySelector('.cut .cursor').getBoundingClientRect();
        return [...document.querySelectorAll('.cut text.above')]
            .map((text) => text.getBoundingClientRect().x - line.x - line.width)"""
    gaps = driver.execute_script(script)
    assert len(gaps) == 3
    assert min(gaps) > 1


def test_without_labels_the_threshold_counts_only(opened):
    driver = opened(html_report([many(50)]))
    assert "pass" in find(driver, "#threshold-panel .reading").text
    assert not driver.find_elements("css selector", "#threshold-panel .measures")


def test_another_metric_is_the_truth_only_if_somebody_says_so(opened):
    from selenium.webdriver.support.ui import Select

    metrics = [{"name": "hit", "scores": [0.2, 0.9, 0.7]}, {"name": "exact", "scores": [0, 1, 1]}]
    run = EvaluationResults.from_dict({"inputs": {"id": ["a", "b", "c"]}, "metrics": metrics})
    driver = opened(html_report([run]))
    assert not driver.find_elements("css selector", "#threshold-panel .measures")
    Select(find(driver, "#threshold-panel label:nth-of-type(3) select")).select_by_visible_text("exact")
    assert texts(driver, "#threshold-panel .measures dd") == ["1.000", "1.000", "1.000"]


def animals(name, *evaluators):
    truths = ["cat", "dog", "cat", "dog"]
    found = [{"cat": 0.9, "dog": 0.1}, {"cat": 0.6, "dog": 0.4}, {"cat": 0.4, "dog": 0.6}, {"dog": 0.7}]
    evaluators = [*evaluators, ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.3, 0.5, 0.8])]
    results = [metric.run(ground_truths=truths, predictions=found)["result"] for metric in evaluators]
    return EvaluationResults({"ids": list("abcd")}, results, name=name)


def test_the_views_open_on_the_primary_measure_and_the_thresholds_on_graded_scores(opened):
    from selenium.webdriver.support.ui import Select

    driver = opened(html_report([animals("animals", ClassificationAccuracyEvaluator())]))

    def chosen(selector):
        return Select(find(driver, selector)).first_selected_option.text

    assert chosen("#threshold-panel select") == "Scores of predictions"
    metrics = [
        {"name": "exact", "scores": [0, 1, 1], "primary": False},
        {"name": "overlap", "scores": [0.2, 0.9, 0.7]},
    ]
    inputs = {"id": ["a", "b", "c"]}
    driver = opened(html_report([EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics})]))
    assert chosen("#threshold-panel select") == "overlap"
    assert chosen("#toolbar select") == "overlap"
    assert find(driver, "[aria-sort=ascending]").text.startswith("overlap")


def test_a_threshold_on_the_scores_of_predictions_tells_hits_and_errors_of_each_label(opened):
    truths, found = ["cat", "dog", "cat", "dog"], [{"cat": 0.9}, {"cat": 0.6}, {"cat": 0.4}, {"dog": 0.7}]
    curve = ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.3, 0.5, 0.8])
    result = curve.run(ground_truths=truths, predictions=found)["result"]
    driver = opened(html_report([EvaluationResults({"ids": list("abcd")}, [result], name="animals")]))
    panel = "#threshold-panel"
    reading = "Scores of predictions ≥ 0.300: 3 right, 1 wrong, 1 missed."
    assert find(driver, f"{panel} .reading").text == reading
    assert texts(driver, f"{panel} .measures dd") == ["0.750", "0.750", "0.750"]
    from selenium.webdriver.support.ui import Select

    Select(find(driver, f"{panel} label:nth-of-type(3) select")).select_by_visible_text("cat")
    slider = find(driver, f"{panel} input[type=range]")
    driver.execute_script("arguments[0].value = 0.7; arguments[0].dispatchEvent(new Event('input'))", slider)
    assert (
        find(driver, f"{panel} .reading").text == "Scores of predictions ≥ 0.800: 1 right, 0 wrong, 1 missed."
    )
    assert texts(driver, f"{panel} .outcome td.number") == ["1", "1", "0", "2"]


def stroke(driver, selector):
    script = "return getComputedStyle(document.querySelector(arguments[0])).stroke"
    return driver.execute_script(script, selector)


def colour(driver, name):
    script = """const probe = document.body.appendChild(document.createElement('i'));
        probe.style.color = `var(${arguments[0]})`;
        const found = getComputedStyle(probe).color; probe.remove(); return found"""
    return driver.execute_script(script, name)


def test_each_run_has_one_colour_in_every_figure_and_a_legend_on_screen_and_on_paper(opened):
    from selenium.webdriver.support.ui import Select

    driver = opened(html_report([animals("small"), animals("large")]))
    for theme in ("light", "dark"):
        driver.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        for run, name in ((0, "A small"), (1, "B large")):
            own = colour(driver, f"--run-{run}")
            Select(find(driver, "#threshold-panel label:nth-of-type(2) select")).select_by_value(str(run))
            lines = "#threshold-panel svg .line-{}"
            assert {stroke(driver, lines.format(line)) for line in range(3)} == {own}
            assert stroke(driver, f".panel.run-{run} .charts .line-1") == own
            assert stroke(driver, f".panel.run-{run} .legend .line-1") == own
            legend = [" ".join(text.split()) for text in texts(driver, "#threshold-panel .legend li")]
            assert legend == [name, "precision", "recall", "F1"]
    light = "#1f5fa8"
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        paper = colour(driver, "--run-0")
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert paper == f"rgb({', '.join(str(int(light[at : at + 2], 16)) for at in (1, 3, 5))})"
    assert colour(driver, "--run-0") != paper


def test_found_objects_have_the_colour_of_their_run(opened):
    def detector(name, left):
        found = [{"labels": ["cat"], "boxes": [[left, 2, 41, 38]], "scores": [0.9]}]
        data = {
            "inputs": {"id": ["one"], "predictions": found},
            "metrics": [{"name": "f1", "scores": [0.5]}],
        }
        return EvaluationResults.from_dict(data, name=name)

    driver = opened(html_report([detector("first", 1), detector("second", 2)]), "#item=one")
    for run in (0, 1):
        assert stroke(driver, f".answers .run-{run} .drawing .predicted rect") == colour(
            driver, f"--run-{run}"
        )


@pytest.mark.parametrize(("high", "low"), [(0.9, 0.3), (1.5, -0.3)])
def test_objects_are_drawn_and_can_be_limited_by_score(opened, high, low):
    truths = [{"labels": ["cat", "dog"], "boxes": [[0, 0, 40, 40], [50, 50, 90, 80]]}]
    found = [{"labels": ["cat", "cat"], "boxes": [[2, 2, 41, 38], [60, 0, 80, 30]], "scores": [high, low]}]
    run = EvaluationResults.from_dict(
        {
            "inputs": {"id": ["one"], "ground_truths": truths, "predictions": found},
            "metrics": [{"name": "f1", "scores": [0.5]}],
        }
    )
    driver = opened(html_report([run]), "#item=one")
    assert len(driver.find_elements("css selector", ".drawing .truth rect")) == 2
    assert len(driver.find_elements("css selector", ".drawing .predicted rect")) == 2
    slider = find(driver, "[aria-label='least score drawn']")
    driver.execute_script("arguments[0].value = 0.5; arguments[0].dispatchEvent(new Event('input'))", slider)
    assert len(driver.find_elements("css selector", ".drawing .predicted rect")) == 1
    assert f"cat {high:.2f}" in find(driver, ".drawing").text


def test_boxes_lie_on_the_picture_in_its_own_pixels(opened):
    picture = io.BytesIO()
    Image.new("RGB", (64, 48), "white").save(picture, "PNG")
    address = f"data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}"
    truths = [{"labels": ["cat"], "boxes": [[4, 4, 20, 20]]}]
    run = EvaluationResults.from_dict(
        {
            "inputs": {"id": ["one"], "image": [address], "ground_truths": truths},
            "metrics": [{"name": "f1", "scores": [0.5]}],
        }
    )
    driver = opened(html_report([run]), "#item=one")
    until(lambda: find(driver, ".drawing").get_dom_attribute("viewBox") == "0 0 64 48")
    assert find(driver, ".drawing image").get_dom_attribute("width") == "64"


def picture_of(side, seed):
    file = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (side, side, 3), np.uint8)
    Image.fromarray(pixels).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def test_pictures_of_a_small_file_are_complete_and_others_are_named(opened):
    count = 12
    run = EvaluationResults.from_dict(
        {
            "inputs": {
                "id": [f"p{item}" for item in range(count)],
                "image": [picture_of(60, item) for item in range(count)],
                "ground_truths": [{"labels": ["cat"], "boxes": [[4, 4, 20, 20]]}] * count,
            },
            "metrics": [{"name": "f1", "scores": [item / count for item in range(count)]}],
        }
    )
    figures = len(html_report([run], max_rows=0).encode())
    with pytest.warns(DataWarning, match="pictures are left out"):
        page = html_report([run], max_bytes=figures + 100_000)
    driver = opened(page, "#item=p0")
    until(lambda: find(driver, ".drawing").get_dom_attribute("viewBox") == "0 0 60 60")
    loaded = """
        const image = new Image(), done = arguments[arguments.length - 1];
        image.onload = () => done([image.naturalWidth, image.naturalHeight]);
        image.onerror = () => done(null);
        image.src = document.querySelector(".drawing image").getAttribute("href");
    """
    assert driver.execute_async_script(loaded) == [60, 60]
    assert f"of {count} pictures are left out of this file" in find(driver, "#items").text
    last = opened(page, f"#item=p{count - 1}")
    assert not last.find_elements("css selector", ".drawing image")
    assert len(last.find_elements("css selector", ".drawing .truth rect")) == 1
    assert "(picture left out to keep this file small)" in find(last, "dialog").text


def test_pictures_without_objects_are_shown_and_are_no_text_of_the_table(opened):
    run = EvaluationResults.from_dict(
        {
            "inputs": {"id": ["one"], "image": [picture_of(32, 1)], "caption": ["noise"]},
            "metrics": [{"name": "f1", "scores": [0.5]}],
        }
    )
    driver = opened(html_report([run]), "#item=one")
    until(lambda: driver.execute_script("return document.querySelector('img.picture').naturalWidth") == 32)
    assert "base64" not in find(driver, "body").text


def test_items_without_scores_have_no_controls_and_tables_of_scores(opened):
    def detector(name):
        found = [{"labels": ["cat"], "boxes": [[1, 2, 41, 38]], "scores": [0.9]}]
        inputs = {"id": ["one"], "predictions": found}
        measure = Measure(Signature.of("map", {}), reduction=Mean("map"), item_score=None)
        return EvaluationResults(
            inputs, [MetricResult([measure], Statistics({"map": np.ones(1)}))], name=name
        )

    driver = opened(html_report([detector("first"), detector("second")]), "#item=one")
    assert driver.find_elements("css selector", ".drawing")
    assert "Scores" not in texts(driver, "#details h3")
    assert not [label for label in texts(driver, "#toolbar label") if label.startswith("Change")]
