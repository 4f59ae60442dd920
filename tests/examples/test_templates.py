"""The example of templates in another language, run with a scripted judge."""

import json
import re
from pathlib import Path

from haystack.dataclasses import ChatMessage

from thresher.components import ValorAnswerRelevanceEvaluator, ValorFaithfulnessEvaluator
from thresher.pipelines.template_checks import check_templates

GERMAN = Path(__file__).parents[2] / "examples" / "templates" / "german"
SENTENCES = ["Der Turm ist 48 m hoch.", "Er steht in Lunna."]
DATA = {
    "questions": ["Wie hoch ist der Turm?"],
    "predicted_answers": [" ".join(SENTENCES)],
    "contexts": [["Der Turm misst 48 Meter."]],
}


class GermanJudge:
    """A judge that answers in German, with the labels that the prompt asks for."""

    def __init__(self):
        self.messages = []

    def run(self, messages):
        self.messages += messages
        text = messages[-1].text
        key = re.search(r'die Liste "(\w+)"', text)
        labels = ("ja", "nein") if "Kontexte" in text else ("ja", "idk")
        verdicts = {str(n): {"reason": "-", "verdict": label} for n, label in enumerate(labels, 1)}
        reply = {key[1]: SENTENCES} if key else verdicts
        return {"replies": [ChatMessage.from_assistant(json.dumps(reply), meta={"model": "german"})]}


def test_every_template_of_the_example_fits():
    checks = check_templates(GERMAN)
    assert [check.template for check in checks if check.problem or not check.metrics] == []


def test_a_german_evaluation_scores_as_the_english_one_would():
    judge = GermanJudge()
    questions, contexts, answers = (DATA[name] for name in ("questions", "contexts", "predicted_answers"))
    faithfulness = ValorFaithfulnessEvaluator(judge, templates=GERMAN)
    relevance = ValorAnswerRelevanceEvaluator(judge, templates=GERMAN)
    faithful = faithfulness.run(contexts=contexts, predicted_answers=answers)
    relevant = relevance.run(questions=questions, predicted_answers=answers)
    assert (faithful["score"], relevant["score"]) == (0.5, 0.5)
    claims, statements = faithful["result"].evidence[0], relevant["result"].evidence[0]
    assert [claim["verdict"] for claim in claims["claims"]] == ["yes", "no"]
    assert [statement["verdict"] for statement in statements["statements"]] == ["yes", "idk"]
    assert not any("Reply with" in message.text for message in judge.messages), "all is in German"
    assert "labels:no=nein,yes=ja" in str(faithful["result"].measures[0].signature)
