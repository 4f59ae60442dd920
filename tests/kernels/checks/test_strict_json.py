import json
from pathlib import Path

import pytest

from thresher.kernels.checks.json_schema import schema_check
from thresher.kernels.checks.strict_json import InvalidJsonError, read_json

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden/judges2/json_checks.json").read_text(encoding="utf-8")
)


def problem(text, extract="whole"):
    try:
        read_json(text, extract)
    except InvalidJsonError as error:
        return str(error)
    return ""


def test_the_golden_cases():
    matches = schema_check(GOLDEN["schema"])
    repeated = [
        case["text"]
        for case in GOLDEN["cases"]
        if case["text"].count('"name"') == 2 and "}{" not in case["text"]
    ]
    assert len(repeated) == 1
    for case in GOLDEN["cases"]:
        valid = not problem(case["text"])
        # The origin of the cases takes repeated keys.
        assert valid is (case["valid_rfc8259"] and case["text"] not in repeated), case
        if valid:
            assert (not matches(read_json(case["text"]))) is case["matches_schema"], case


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("NaN", "NaN is not a JSON value"),
        ('{"a": [-Infinity]}', "-Infinity is not a JSON value"),
        ('{"a": {"b": 1, "b": 1}}', "the key 'b' is repeated"),
        ('\ufeff{"a": 1}', "starts with a byte order mark"),
        ('{"a": 1,\n"b" 2}', "line 2, column 5: expecting ':' delimiter"),
        ("[" * 200_000, "is nested too deeply"),
        ("\u00a0[]", "line 1, column 1: expecting value"),
        ("[01]", "line 1, column 3: expecting ',' delimiter"),
    ],
)
def test_an_invalid_text_has_a_reason(text, reason):
    assert problem(text) == reason


def test_a_number_of_any_length_is_valid():
    assert read_json("[1" + "0" * 5000 + "]") == [float("inf")]


@pytest.mark.parametrize(
    ("text", "extract", "value"),
    [
        ('So:\n```json\n{"a": 1}\n```\nand\n```\n[]\n```', "fence", {"a": 1}),
        ("~~~~\n[1]\n~~~~", "fence", [1]),
        ('See [one] or {"a": [1]} and [2]', "first", {"a": [1]}),
        ('{"a": [1], broken} then [3]', "first", [3]),
    ],
)
def test_a_part_of_a_text_is_extracted(text, extract, value):
    assert read_json(text, extract) == value


@pytest.mark.parametrize(
    ("text", "extract", "reason"),
    [
        ("[1]", "fence", "has no fenced block"),
        ("```\n[1]", "fence", "has a fenced block without an end"),
        ("true", "first", "has no object or list"),
        ("[one]", "first", "has no object or list"),
        ("[1, one]", "first", "line 1, column 5: expecting value"),
        ('{"a": NaN}', "first", "NaN is not a JSON value"),
    ],
)
def test_a_part_that_is_missing_has_a_reason(text, extract, reason):
    assert problem(text, extract) == reason


def test_attempts_are_limited():
    assert problem('{"b" ' * 300_000, "first") == "line 1, column 5001: expecting ':' delimiter"
