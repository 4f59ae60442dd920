import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.judges.containers import only_object, scan
from thresher.judges.lenient_json import unescaped
from thresher.judges.schema import Ambiguous

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=6), JSON, min_size=1, max_size=5), st.booleans())
def test_json_is_read_as_the_standard_library_reads_it(data, ascii_only):
    text = json.dumps(data, ensure_ascii=ascii_only)
    (found,) = scan(f"It is {text}, they say.").objects
    assert (found.value, found.start, found.end) == (json.loads(text), 6, 6 + len(text))


def _same_as_scan(text):
    only = only_object(text)
    if only is not None:
        seen = scan(text)
        assert (repr(seen.objects), seen.lists) == (repr([only]), [])
        assert type(seen.objects[0].value) is dict
    return only is not None


@given(
    st.text(alphabet=" \n\t\u00a0x", max_size=2),
    st.lists(
        st.sampled_from(
            [
                '"a"',
                '"b"',
                '"\\ud83d\\ude00"',
                '"{["',
                '"\'"',
                "{",
                "}",
                "[",
                "]",
                ":",
                ",",
                "1",
                "-0",
                "1.50",
                "1e5",
                "2E-3",
                "NaN",
                "-Infinity",
                "true",
                "null",
            ]
        ),
        max_size=12,
    ),
    st.text(alphabet=" \n\t\u00a0x", max_size=2),
)
def test_an_only_object_is_what_the_scan_reads(before, tokens, after):
    _same_as_scan(before + "{" + "".join(tokens) + "}" + after)


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=5))
def test_standard_json_is_an_only_object(data):
    text = json.dumps(data, indent=1)
    assert _same_as_scan(text) or text.count("[") + text.count("{") > 40


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": {"b": 1, "b": 1}}',
        '{"a": ' + "9" * 301 + "}",
        '{"a": 1e4000}',
        '{"a": ' + 40 * "[" + 40 * "]" + "}",
        '{"a": "one\ntwo"}',
        '{"a": 1} {"a": 2}',
        '[{"a": 1}]',
        "{'a': 1}",
        '```json\n{"a": 1}\n```',
        "",
    ],
)
def test_texts_that_the_decoder_reads_otherwise_are_left_to_the_scan(text):
    assert only_object(text) is None


@given(st.text(alphabet="{}[]\":,\\'ab1 \n", max_size=300))
def test_no_text_makes_it_fail(text):
    for found in scan(text).every:
        assert text[found.start] in "{["
        assert text[found.end - 1] in "}]"


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ('{"a": 1,}', [{"a": 1}]),
        ('{"a": "one\ntwo"}', [{"a": "one\ntwo"}]),
        (r'{"a": "\alpha \u0041"}', [{"a": "alpha A"}]),
        ("{'a': True, 'b': None, 'c': 'it''s'}", [{"a": True, "b": None, "c": "its"}]),
        ("{'a': \"it's\"}", [{"a": "it's"}]),
        ('{broken: 1} {"a": 1}', [{"a": 1}]),
        ('He wrote {"and then {"a": 1}', [{"a": 1}]),
        ('{"a": {"b": 1}, oops {"c": 2}', [{"b": 1}, {"c": 2}]),
        ('[{"a": 1}, {"b": 2}]', [{"a": 1}, {"b": 2}]),
        ('{"a": "{\\"b\\": 1}"}', [{"a": '{"b": 1}'}]),
        ("{1: 2} {a} {} { }", [{}, {}]),
        ("{'a': 1, 'a': 2}", []),
        ('{"a": 1', []),
    ],
)
def test_what_is_forgiven_and_what_is_not(text, objects):
    assert [found.value for found in scan(text).objects] == objects


def test_keys_that_occur_twice_are_named():
    (found,) = scan('{"a": 1, "b": 2, "a": 3}').objects
    assert isinstance(found.value, Ambiguous)
    assert found.value.twice == {"a"}


def test_what_is_nested_too_deeply_is_found_by_itself():
    inner = '{"a": 1}'
    assert scan('{"x":' * 90 + inner + "}" * 90).every[0].value == {"a": 1}


def test_inner_containers_and_strings_are_kept():
    seen = scan('{"a": [{"b": "x {\\"c\\": 1}"}]} {"d": "[1]", oops')
    assert next(found.value for found in seen.every) == {"b": 'x {"c": 1}'}
    assert seen.strings == ['x {"c": 1}', "[1]"]


def test_escapes_are_resolved_level_by_level():
    twice = json.dumps(json.dumps({"a": "b"}))
    assert unescaped(unescaped(twice[1:-1].replace('"', '\\"'))) in (twice[1:-1], '{"a": "b"}')
    assert unescaped(r"\u0079es\n") == "yes\n"


@pytest.mark.parametrize(
    "junk",
    [
        '{"a":',
        "{'a':",
        '"{',
        '{"',
        '{"a": \'',
        '{"\\',
        "[{",
        '["',
        '{"a":1}',
        '{"a',
        '{"a":"{" ',
        "{'\\'",
        '{"a":1,',
    ],
)
def test_the_work_is_proportional_to_the_length(junk):
    short, long = (scan(junk * times).steps for times in (2_000, 8_000))
    assert long <= 4 * short + 1_000
    assert short <= 3 * 2_000 * len(junk)
