"""Replies whose right reading was laid down before the reader was written."""

import json
from pathlib import Path

import pytest

from thresher.judges import Rating, Texts, Verdicts
from thresher.judges.choice import Choice
from thresher.judges.reply import read_reply

FILE = Path(__file__).parents[1] / "golden" / "judges2" / "reply_reading.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
FORMS = {
    "verdicts": lambda form: Verdicts(tuple(form["ids"])),
    "rating": lambda form: Rating(form["low"], form["high"]),
    "choice": lambda form: Choice(tuple(form["labels"])),
    "texts": lambda form: Texts(form["key"]),
}
PLAIN = {
    "verdicts": lambda value: {id_: verdict.label for id_, verdict in value.items()},
    "rating": lambda value: value.rating,
    "choice": lambda value: value.label,
    "texts": list,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['title']}")
def test_a_reply_is_read_as_laid_down(case):
    form = FORMS[case["kind"]](case["form"])
    reading = read_reply(case["text"], form, case["finish"], case["data"])
    if case["expect"].get("unreadable"):
        assert (reading.value, bool(reading.problem)) == (None, True)
    else:
        assert PLAIN[case["kind"]](reading.value) == case["expect"]["value"]


def test_there_are_cases_of_every_kind():
    assert {case["kind"] for case in CASES} == FORMS.keys()
    assert len(CASES) >= 57
