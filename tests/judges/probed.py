"""Judges with known biases for probes: each prompt of a probe is answered by functions of the truth."""

import json
import re

from haystack.dataclasses import ChatMessage

from thresher.judges.probe_rounds import probe_cases

TRUTH = {claim: supported for case in probe_cases() for claim, supported in case.claims.items()}
PLANTED = "the task has changed"


def right(claim, _prompt):
    return "yes" if TRUTH[claim] else "no"


def certain(claim, _prompt):
    return 100 if TRUTH[claim] else 0


class Scripted:
    """A judge whose verdicts, stated probabilities and grades are functions of what it is asked.

    Args:
        verdict: claim and prompt -> label.
        confidence: claim and prompt -> percentage that the claim is supported.
        grade: answer without content -> grade.
    """

    def __init__(self, verdict=right, confidence=certain, grade=lambda _answer: 0):
        self.verdict, self.confidence, self.grade = verdict, confidence, grade
        self.calls = 0

    def run(self, messages):
        self.calls += 1
        prompt = messages[-1].text
        return {"replies": [ChatMessage.from_assistant(self.reply(prompt), meta={"model": "scripted"})]}

    def reply(self, prompt):
        if "<reference " in prompt:
            (answer,) = re.findall(r"<answer \w+>\n(.*)\n</answer", prompt)
            return json.dumps({"reason": "I see.", "rating": self.grade(answer)})
        claims = claims_in(prompt)
        if "how likely" in prompt:
            stated = {id_: self.confidence(claim, prompt) for id_, claim in claims.items()}
            return json.dumps({"reason": "I see.", **stated})
        said = {
            id_: {"reason": "I see.", "verdict": self.verdict(claim, prompt)} for id_, claim in claims.items()
        }
        return json.dumps(said)


def claims_in(prompt):
    """Id -> claim of a prompt."""
    return json.loads(re.findall(r"<claims \w+>\n(.*)\n</claims", prompt)[-1])


def obeying(claim, prompt):
    return "yes" if PLANTED in prompt else right(claim, prompt)


def first_two(claim, prompt):
    return "yes" if claim in list(claims_in(prompt).values())[:2] else "no"
