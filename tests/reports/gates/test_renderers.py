import json
from dataclasses import FrozenInstanceError

import pytest
from defusedxml import ElementTree
from hypothesis import given
from hypothesis import strategies as st

from thresher.cli.gate_options import FORMATS
from thresher.errors import InputError
from thresher.kernels.inference import Interval
from thresher.reports.gates import Decision, GateOutcome, RequirementOutcome, WorstItem
from thresher.reports.gates.decision import digits_for
from thresher.reports.gates.renderers import RENDERERS
from thresher.reports.rendering.registry import file_formats
from thresher.reports.rendering.text import json_text


@pytest.fixture
def gate(made):
    run = made("candidate", hit=[1] * 80 + [0] * 20, none=[None] * 100)
    return run.gate(["hit>=0.5", "hit>=0.95", "hit>=0.8", "none>=0.5"])


def odd(text):
    decision = Decision(text, text, RequirementOutcome.FAILED, text, 0.5, worst=(WorstItem(text, 0.1),))
    return GateOutcome(text, None, 1, (decision,), (text,))


def test_the_terminal_shows_a_sentence_for_each_and_the_outcome_last(gate):
    lines = str(gate).splitlines()
    assert lines[-1] == (
        "Gate could not be decided for candidate: 1 could not be decided, 1 failed, 1 inconclusive, 1 passed."
    )
    assert "passed: hit is 0.800 (0.713 to 0.870) on 100 items: the whole interval is at least 0.5." in lines
    assert "failed: hit is 0.800 (0.713 to 0.870) on 100 items: the whole interval is below 0.95." in lines
    assert any(line.strip().startswith("look at q80 (0), q81 (0)") for line in lines)


def test_an_outcome_cannot_be_changed(gate):
    with pytest.raises(FrozenInstanceError):
        gate.decisions = ()


def test_json_is_strict_and_complete(gate):
    data = json.loads(json_text(gate), parse_constant=pytest.fail)
    assert (data["outcome"], data["exit_code"], data["items"]) == ("could not be decided", 3, 100)
    assert [each["outcome"] for each in data["decisions"]] == [
        "passed",
        "failed",
        "inconclusive",
        "could not be decided",
    ]
    assert data["decisions"][1]["interval"]["method"] == "one-more"
    assert data["decisions"][1]["worst"][0] == {"id": "q80", "score": 0.0, "baseline": None, "reason": None}


def test_junit_separates_errors_from_failures_and_is_never_green_for_inconclusive(gate):
    top = ElementTree.fromstring(gate.to_junit())
    cases = [[child.tag for child in case] for case in top.iter("testcase")]
    assert cases == [["system-out"], ["failure"], ["failure"], ["error"]]
    assert [each.get("type") for each in top.iter("failure")] == ["failed", "inconclusive"]
    (suite,) = top
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["4", "2", "1"]


@pytest.mark.simulation
@given(st.text())
def test_junit_holds_any_text(text):
    top = ElementTree.fromstring(odd(text).to_junit())
    assert len(list(top.iter("failure"))) == 1


def test_junit_replaces_what_xml_cannot_hold():
    case = next(ElementTree.fromstring(odd("a\x00\x1b[1m\ud800<&\"'>").to_junit()).iter("testcase"))
    assert case.get("classname") == "a\\x00\\x1b[1m\\ud800<&\"'>"


def test_annotations_cannot_be_broken_out_of():
    text = odd("50%: a,b\n::error::fake\r").render("github")
    assert text == (
        "::error title=50%25%3A a%2Cb%0A%3A%3Aerror%3A%3Afake%0D failed::"
        "50%25: a,b%0A::error::fake%0D Look at 50%25: a,b ::error::fake (0.1)."
    )


def test_annotations_are_errors_warnings_and_silence(gate):
    kinds = [line.split(" ")[0] for line in gate.render("github").split("\n")]
    assert kinds == ["::error", "::warning", "::error"]


def test_markdown_begins_with_a_mark_and_shows_texts_as_they_are():
    text = odd("| <img> @somebody *x* [l](u)\n# head").to_markdown()
    assert text.startswith("<!-- thresher gate -->\n")
    assert "<img>" not in text
    head, _, sentences = text.partition("\n\n- ")
    assert "@somebody" not in sentences
    assert "\\[l\\](u)" in sentences
    table = [line for line in head.splitlines() if line.startswith("| ❌")]
    assert len(table) == 1
    assert table[0].replace("\\|", "").count("|") == 7


def test_markdown_shows_every_requirement(gate):
    text = gate.to_markdown()
    for sign in ("✅ passed", "❌ failed", "❔ inconclusive", "⚠️ could not be decided"):
        assert sign in text
    assert "Intervals of 95 %; 100 items." in text


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_number_is_shown_on_its_own_side_of_the_bar(value, bar):
    shown = float(digits_for(value, None, bar).value(value))
    sides = [(each - bar > 1e-9, bar - each > 1e-9) for each in (shown, value)]
    assert sides[0] == sides[1]


def test_a_change_is_shown_on_its_side_of_zero():
    digits = digits_for(-0.0003, Interval(-0.1, 0.0994, 0.95, "t"), -0.5, (0.5, 0.5003))
    assert digits.value(-0.0003, signed=True) == "-0.0003"


def test_the_explanation_leaves_out_what_passed(gate):
    text = gate.explanation()
    assert "hit>=0.5" not in text
    assert "hit>=0.95 failed: hit is 0.800 (0.713 to 0.870) on 100 items" in text
    assert "[100/100 scored]" in text
    assert "    look at q80 (0)" in text


def test_no_text_passes_for_a_line_of_its_own():
    gate = odd("x\n::error::fake")
    for text in (str(gate), gate.explanation()):
        assert not any(line.strip().startswith("::") for line in text.splitlines())


def test_the_command_line_offers_every_format():
    assert RENDERERS.keys() - {*file_formats(pages=False)} == {*FORMATS}


def test_a_gate_has_the_formats_of_other_reports(tmp_path):
    gate = odd("x_y")
    assert gate.render("latex").startswith(r"\begin{tabular}")
    assert gate.render("csv").startswith("outcome,requirement,about,value,interval,scored,conclusion")
    gate.report().save(tmp_path / "gate.json")
    assert (tmp_path / "gate.json").read_text(encoding="utf-8") == gate.render("json") + "\n"
    with pytest.raises(InputError, match=r"output_format='latx' is unknown .did you mean 'latex'"):
        gate.render("latx")
