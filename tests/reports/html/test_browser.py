"""The file in a real browser: what people do with its items, and that it does nothing else."""

import csv
import io
from importlib.resources import files

import numpy as np
import pytest

from reports.html.browser import requested
from reports.html.cases import PLANTED, pair
from reports.html.page import choose, control, dialog, downloaded, find, shown, status, texts, until
from thresher import EvaluationResults
from thresher.components.classification.confusion_matrix import ClassificationConfusionMatrixEvaluator
from thresher.components.classification.precision_recall_curve import (
    ClassificationPrecisionRecallCurveEvaluator,
)
from thresher.reports.html import html_report
from thresher.results import Measure, MetricResult, Signature, Statistics

pytestmark = pytest.mark.xdist_group("browser")


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
    assert "No item matches." in find(driver, "#grid").text
    control(driver, "Reset").click()
    until(lambda: status(driver) == "30 of 30 items shown")


def test_regressions_come_first_and_can_be_shown_alone(opened):
    driver = opened(html_report(pair()))
    lost = [f"t{item:03d}" for item in range(3, 30, 6)]
    assert shown(driver)[: len(lost)] == lost
    choose(driver, "Change", "regressed")
    until(lambda: status(driver) == "5 of 30 items shown")
    assert shown(driver) == lost
    control(driver, "Reset").click()
    control(driver, "Answers differ").click()
    until(lambda: status(driver) == "6 of 30 items shown")


def test_a_click_on_a_heading_sorts_and_another_turns_it_around(opened):
    driver = opened(html_report(pair()[:1]))
    heading = next(
        each for each in driver.find_elements("css selector", ".heads button") if "latency" in each.text
    )
    heading.click()
    scores = [float(cell) for cell in texts(driver, ".grid .row .cell:last-child")]
    assert scores == sorted(scores, reverse=True)
    assert find(driver, "[aria-sort=descending]").text.startswith("latency")
    find(driver, "[aria-sort=descending] button").click()
    scores = [float(cell) for cell in texts(driver, ".grid .row .cell:last-child")]
    assert scores == sorted(scores)
    assert find(driver, "[aria-sort=ascending]").text.startswith("latency")


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


def test_columns_of_few_entries_are_filters(opened):
    driver = opened(html_report(pair()))
    choose(driver, "human label", "1")
    until(lambda: status(driver) == "15 of 30 items shown")
    assert {int(name[1:]) % 2 for name in shown(driver)} == {1}
    choose(driver, "Change", "regressed")
    until(lambda: status(driver) == "5 of 30 items shown")
    control(driver, "Reset").click()
    until(lambda: status(driver) == "30 of 30 items shown")
    assert not [each for each in texts(driver, "#toolbar label") if each.startswith("note")]


def test_the_details_tell_everything_of_an_item(opened):
    driver = opened(html_report(pair()), "#item=t005")
    told = dialog(driver)
    for words in ("How high is tower 5?", "45 metres", "It is 45 m high.", "The passage says", "human label"):
        assert words in told
    assert texts(driver, "#details del") == ["It", "high"]
    assert texts(driver, "#details ins") == ["The tower", "tall"]
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


def test_what_is_shown_can_be_saved_as_csv(opened):
    driver = opened(html_report(pair()))
    control(driver, "Search").send_keys('"tower" 17')
    until(lambda: status(driver) == "0 of 30 items shown")
    control(driver, "Reset").click()  # `clear` of the driver is not an input, so the page need not notice it
    until(lambda: status(driver) == "30 of 30 items shown")
    choose(driver, "Change", "regressed")
    until(lambda: status(driver) == "5 of 30 items shown")
    control(driver, "CSV").click()
    rows = list(csv.DictReader(io.StringIO(downloaded(driver, "items.csv"), newline="")))
    assert [row["id"] for row in rows] == shown(driver)
    assert rows[0]["questions"] == "How high is tower 3?"
    assert rows[0]["faithfulness_first"] == "1"
    assert rows[0]["faithfulness_second"] == "0"
    assert rows[0]["faithfulness_second_status"] == "scored"
    assert rows[0]["contexts"].startswith('["The tower number 3')


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


@pytest.mark.slow
def test_markup_in_names_of_metrics_labels_slices_and_objects_is_text_too(opened):
    labels = [f"cat{PLANTED}", f"dog{PLANTED}"] * 12
    objects = [{"labels": [label], "boxes": [[0, 0, 9, 9]], "scores": [0.5]} for label in labels]
    truths = [{"labels": [label], "boxes": [[0, 0, 9, 8]]} for label in labels]
    scores = [{label: 0.6, labels[0]: 0.5} for label in labels]
    results = [
        part.run(ground_truths=labels, predictions=scores)["result"]
        for part in (
            ClassificationConfusionMatrixEvaluator(),
            ClassificationPrecisionRecallCurveEvaluator(thresholds=[0.2, 0.7]),
        )
    ]
    recorded = MetricResult(
        [Measure(Signature.of(f"hit{PLANTED}", {}))], Statistics({"score": np.arange(24.0)}), None, {}, None
    )
    inputs = {
        "id": [f"i{n}" for n in range(24)],
        "kind": labels,
        "ground_truths": truths,
        "predictions": objects,
    }
    runs = [EvaluationResults(inputs, [*results, recorded], name=name) for name in ("a", "b")]
    text = html_report(runs, slice_by=["kind", 'kind != "</script><img src=y>"'], remarks=[PLANTED])
    driver = opened(text, "#item=i3")
    assert dialog(driver).count("<img src=x") >= 3
    driver.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert find(driver, "#slices").get_attribute("textContent").count("<img src=x") > 4
    assert "<img src=y" in find(driver, "#slices").get_attribute("textContent")
    assert "<img src=x" in find(driver, "#breakdowns").get_attribute("textContent")
    assert not driver.find_elements("css selector", "img")
    assert driver.title != "broken"


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


def test_verdicts_of_the_runs_stand_side_by_side(opened):
    driver = opened(html_report(pair()), "#item=t006")
    heading = next(
        each for each in driver.find_elements("css selector", ".item h3") if each.text == "faithfulness"
    )
    beside = driver.execute_script("return arguments[0].nextElementSibling", heading)
    tops = [each.rect["y"] for each in beside.find_elements("css selector", ".who")]
    assert [each.text[1:].strip() for each in beside.find_elements("css selector", ".who")] == [
        "first",
        "second",
    ]
    assert tops[0] == tops[1]


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


def test_a_small_change_is_a_number_and_a_rounding_error_is_none(opened):
    def run(name, scores):
        metrics = [{"name": "m", "scores": scores, "bounds": [0, 1]}]
        return EvaluationResults.from_dict({"run": name, "inputs": {"id": ["a", "b"]}, "metrics": metrics})

    driver = opened(html_report([run("A", [0.5, 0.3]), run("B", [0.4999, 0.1 + 0.2])]))
    assert texts(driver, ".grid .worse") == ["−0.0001"]  # noqa: RUF001  # the minus sign of the page
    assert texts(driver, ".grid .zero") == ["0.000"]


def test_numbers_of_any_size_fit_into_their_column(opened):
    def run(name, scores):
        metrics = [
            {"name": "m", "scores": [0.5, 0.5], "bounds": [0, 1]},
            {"name": "s", "scores": scores, "direction": "lower", "primary": False},
        ]
        return EvaluationResults.from_dict({"run": name, "inputs": {"id": ["a", "b"]}, "metrics": metrics})

    driver = opened(html_report([run("A", [0.5, 0.3]), run("B", [0.500003, 0.30002])]))
    script = """return [...document.querySelectorAll('.grid .row .number')]
        .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.innerText)"""
    assert texts(driver, ".grid .worse") == ["+0.000003", "+0.00002"]
    assert driver.execute_script(script) == []


def test_all_scores_of_a_metric_have_the_same_decimals(opened):
    def run(name, scores):
        data = {"inputs": {"id": ["a", "b"]}, "metrics": [{"name": "seconds", "scores": scores}]}
        return EvaluationResults.from_dict(data, name=name)

    driver = opened(html_report([run("A", [9.873, 3.2]), run("B", [12.31, 3.1])]))
    assert sorted(texts(driver, ".grid .number")[3:]) == sorted(["9.9", "12.3", "+2.4", "3.2", "3.1", "−0.1"])  # noqa: RUF001  # the minus sign of the page


def test_contexts_and_answers_may_be_pictures(opened):
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    image = f"data:image/png;base64,{pixel}"
    inputs = {"id": ["a"], "predicted_answers": [image], "contexts": [["The lock is old.", image]]}
    measure = Measure(Signature.of("share", {}))
    result = MetricResult([measure], Statistics({"score": np.ones(1)}))
    driver = opened(html_report([EvaluationResults(inputs, [result], name="run")]), "#item=a")
    assert "base64" not in dialog(driver)
    assert len(driver.find_elements("css selector", ".passages img.picture")) == 1
    assert len(driver.find_elements("css selector", "#details .answers img.picture")) == 1
    assert "Pictures" not in texts(driver, "#details h3")
