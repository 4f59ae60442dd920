import json
from types import SimpleNamespace

import pytest

from thresher.judges import Ask, Message, Texts
from thresher.judges.engine.batches.lines import BatchLine, by_judge, divided


class Api:
    def encode(self, key, body):
        return json.dumps([key, body]).encode()


def line(place, size=40, judge="a"):
    ask = Ask("own", (Message("user", "x" * size),), Texts("things"))
    generator = SimpleNamespace(identity=judge, batch_body=lambda _, ask: {"text": ask.text})
    return BatchLine(f"k{place}", ask, None, generator, Api(), None, None)


def parts(lines, **limits):
    chosen = {"max_lines": 99, "max_bytes": 10**6, "max_tokens": 10**6} | limits
    return [[member.key for member in part.lines] for part in divided(lines, **chosen)]


@pytest.mark.parametrize("limit", [{"max_lines": 2}, {"max_bytes": 140}, {"max_tokens": 25}])
def test_each_limit_divides_the_lines_in_their_order(limit):
    assert parts([line(place) for place in range(5)], **limit) == [["k0", "k1"], ["k2", "k3"], ["k4"]]


def test_a_line_above_the_limits_is_alone():
    assert parts([line(0), line(1, 4_000), line(2)], max_tokens=100) == [["k0"], ["k1"], ["k2"]]


def test_no_lines_are_no_parts():
    assert parts([]) == []


def test_the_tokens_of_a_part_are_those_of_its_lines():
    (part,) = divided([line(0), line(1)], 9, 10**6, 10**6)
    assert (part.tokens, part.identity, part.prompts) == (20, "a", {"k0": "own", "k1": "own"})


def test_lines_are_grouped_by_judge():
    lines = [line(0), line(1, judge="b"), line(2)]
    assert [[member.key for member in group] for group in by_judge(lines)] == [["k0", "k2"], ["k1"]]
