"""No pattern that meets foreign text takes time with the square of the text's length.

New patterns are found without a list: constants of modules by their type, inline ones while replies are read.
"""

import json
import re

import pytest

from judges.test_forms import FORMS
from patterns import UsedPattern, compiled_patterns, recorded_patterns, slow_piece
from thresher.components.judged.judgelm._format import FirstLine
from thresher.components.judged.prometheus._format import Grade, Preferred
from thresher.judges.levels import Levels
from thresher.judges.rating import Rating
from thresher.judges.reply import read_reply
from thresher.judges.schema import Texts, Verdicts

CONSTANTS = compiled_patterns()
EVERY_FORM = [
    *FORMS,
    Rating(1, 5),
    Levels.of(0, 2, 4),
    Grade(),
    Preferred(),
    FirstLine(),
    Texts("x"),
    Verdicts(("1",)),
]
REPLIES = (
    "The rating is 4 out of 5. It is good.",
    "Verdict: yes",
    "[[A]]",
    "8 9\nwhy",
    "I cannot say no.",
    "4\n\n3/10",
)


@pytest.mark.parametrize("name", CONSTANTS)
def test_no_pattern_is_slow(name):
    assert slow_piece(CONSTANTS[name]) == ""


def test_no_inline_pattern_of_a_reader_is_slow(monkeypatch):
    with recorded_patterns(monkeypatch) as used:
        for form in EVERY_FORM:
            for reply in REPLIES:
                read_reply(reply, form, data=json.dumps({"rating": 5}))
    assert len(used) > 10
    assert {pattern: slow for pattern in used if (slow := slow_piece(pattern))} == {}


@pytest.mark.parametrize(
    "pattern", [r"\[[^\]]*+\]", r"\d+x", r"(?:\s*a)*$", r"\s+$", r"(?:a+)+b", r"\w+@\w+\."]
)
def test_slow_patterns_are_found(pattern):
    assert slow_piece(UsedPattern(re.compile(pattern), searched=True)) != ""
