"""Claims are marked in the answer, and the passages that decide them in the contexts."""

import json

import pytest
from haystack.components.generators.chat import MockChatGenerator

from reports.html.cases import PLANTED
from reports.html.page import dialog, texts
from thresher import evaluate
from thresher.components import ValorFaithfulnessEvaluator
from thresher.judges import asking
from thresher.pipelines.builder import build
from thresher.reports.html import html_report

pytestmark = pytest.mark.xdist_group("browser")

ANSWER = f"🏭 Built\u200b in 1821. It burned\u202e twice {PLANTED}, in stone now."
CONTEXTS = ["The fire of 1867 was its first.", "🔥 The mill is in stone now. The mill is in stone now."]
VERDICTS = [
    ("Built\u200b in 1821", [], "unsupported"),
    ("It burned\u202e twice", ["The fire of 1867"], "contradicted"),
    (f"twice {PLANTED}, in stone now", ["is in stone now."], "supported"),
    ("nothing like it", [], "unsupported"),
]


REPLY = {
    str(number): {"quote": quote, "passages": passages, "reason": f"r{number}", "verdict": verdict}
    for number, (quote, passages, verdict) in enumerate(VERDICTS, 1)
}


def judge(messages):
    claims = [f"claim {number}" for number in REPLY]
    return json.dumps({"claims": claims} if 'list "claims"' in messages[-1].text else REPLY)


def report():
    metric = ValorFaithfulnessEvaluator(MockChatGenerator(response_fn=judge), spans=True)
    data = {"id": ["1"], "contexts": [CONTEXTS], "predicted_answers": [ANSWER]}
    with asking(cache=False):
        return html_report([evaluate(build([metric]), data, name="one")])


def marks(driver, place):
    script = """return [...document.querySelectorAll(arguments[0] + ' mark')]
        .map((mark) => [mark.textContent, mark.classList[1], mark.title])"""
    return driver.execute_script(script, place)


def test_claims_and_their_passages(opened):
    driver = opened(report(), "#item=1")
    assert driver.title != "broken"
    answer = marks(driver, ".marked")
    assert [tone for _, tone, _ in answer] == ["open", "no", "no", "yes"]
    assert [title for *_, title in answer] == [
        "1: unsupported",
        "2: contradicted",
        "2: contradicted, 3: supported",
        "3: supported",
    ]
    assert answer[2][0] == "twice"
    assert answer[3][0].endswith(f"{PLANTED}, in stone now")
    assert texts(driver, ".marked sup") == ["1", "2", "3"]
    assert len(texts(driver, "ol.numbered > li")) == len(VERDICTS)
    assert "passage 2: “is in stone now.”" in dialog(driver)
    passages = marks(driver, "ol.passages")
    assert [(text, tone) for text, tone, _ in passages] == [
        ("The fire of 1867", "no"),
        ("is in stone now.", "yes"),
    ]
    assert "valor faithfulness: contradicted" in texts(driver, "ol.passages .why")[0]
