"""Conversations are shown as turns, in every layout that the data had."""

import json
from pathlib import Path

import pytest

from reports.html.cases import PLANTED
from reports.html.page import dialog, texts
from thresher import evaluate
from thresher.reports.html import html_report

pytestmark = pytest.mark.xdist_group("browser")

LAYOUTS = json.loads((Path(__file__).parents[2] / "golden/judges2/message_layouts.json").read_text())[
    "layouts"
]


def run(layout, name):
    call = {"name": "trains", "args": {"to": "Lyon"}}
    data = {"id": ["1"], "conversations": [LAYOUTS[layout]], "reference_tool_calls": [[call]]}
    return evaluate(["tool_call_f1"], data, name=name)


def test_turns_calls_results_and_errors_are_shown(opened):
    driver = opened(html_report([run("haystack", "one")]), "#item=1")
    assert texts(driver, ".turns .who")[:4] == ["system", "user", "assistant", "tool"]
    assert texts(driver, ".turns code")[0] == 'trains(to="Lyon", seats=2)'
    assert texts(driver, ".turns .failed") == ["error"]
    assert "weather: timeout" in dialog(driver)
    assert texts(driver, "ol:not(.turns) > li code") == ['trains(to="Lyon")']
    assert "Other columns" not in dialog(driver)


def test_two_conversations_are_side_by_side(opened):
    driver = opened(html_report([run("haystack", "one"), run("ragas", "two")]), "#item=1")
    assert (
        len(texts(driver, ".run-0 .turns > li")) == len(texts(driver, ".run-1 .turns > li")) + 1
    )  # no system text


def test_markup_and_invalid_arguments_are_text(opened):
    broken = {"function": {"name": f"f{PLANTED}", "arguments": f"{{{PLANTED}"}}
    messages = [
        {"role": "user", "content": PLANTED},
        {"role": "assistant", "content": [{"type": "audio"}], "tool_calls": [broken]},
    ]
    data = {"id": ["1"], "conversations": [messages]}
    driver = opened(html_report([evaluate(["agent_counts"], data)]), "#item=1")
    assert driver.title != "broken"
    assert texts(driver, ".turns .tag") == ["invalid arguments"]
    assert PLANTED in dialog(driver)
    assert "[audio]" in dialog(driver)
