"""JSON with declared fields: what is parsed, and what is left to the other parser."""

import pytest

from thresher.files import typed_json
from thresher.files.limits import read_limits
from thresher.files.typed_json import UnexpectedFormError, json_fields, json_objects

pytestmark = pytest.mark.skipif(typed_json.parser() is None, reason="msgspec is for CPython only")
FIELDS = (("n", int), ("at", float, 0.5))


def numbers(content, **limits):
    with read_limits(**limits):
        return [(row.n, row.at) for rows in json_objects(content, FIELDS) for row in rows]


@pytest.mark.parametrize("block", [1, 20, 1 << 20])
def test_blocks_are_the_list(monkeypatch, block):
    monkeypatch.setattr(typed_json, "_BLOCK", block)
    content = b' [{"n": 1, "x": "}"} ,\n{"n": 2, "x": "} {"},{"n": -0, "at": 3}] '
    assert numbers(content) == [(1, 0.5), (2, 0.5), (0, 3.0)]
    assert numbers(b"[ ]") == []


@pytest.mark.parametrize("inside", [b'"}, {"', b'[{"n": 5}, {"n": 6}]'])
def test_a_cut_inside_an_object_is_noticed(monkeypatch, inside):
    content = b'[{"n": 1, "x": %b}, {"n": 2}]' % inside
    assert numbers(content) == [(1, 0.5), (2, 0.5)]
    monkeypatch.setattr(typed_json, "_BLOCK", 1)
    with pytest.raises(UnexpectedFormError):
        numbers(content)


def test_ignored_fields_are_those_of_other_readers():
    content = '[{"n": 1, "x": "}, {é"}, {"n": 2, "x": [{"n": 5}, {"n": 6}]}, {"at": 3, "n": -0}]'.encode()
    assert numbers(content) == [(1, 0.5), (2, 0.5), (0, 3.0)]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b'[{"n": 1}',
        b'[{"n": 1}] x',
        b'[{"n": 1},]',
        b'[{"n": 1.0}]',
        b'[{"n": 1, "at": NaN}]',
        b'[{"n": 1, "x": "\xff"}]',
        b'[{"n": 1, "x": ' + b"9" * 400 + b"}]",
        b'[{"n": 1, "x": ' + b"[" * 99 + b"]" * 99 + b"}]",
        b'[{"n": 1, "x": ' + b"[" * 9_999 + b"]" * 9_999 + b"}]",
        b'[{"n": 1},\x0b{"n": 1}]',
    ],
)
def test_what_is_not_of_the_form_is_left_to_the_other_parser(content, monkeypatch):
    for block in (1 << 20, 1):
        monkeypatch.setattr(typed_json, "_BLOCK", block)
        with pytest.raises(UnexpectedFormError):
            numbers(content)


def test_the_limit_on_nesting_holds():
    content = b'[{"n": 1, "x": [[]]}]'
    assert numbers(content, nesting=5) == [(1, 0.5)]
    with pytest.raises(UnexpectedFormError):
        numbers(content, nesting=4)


def test_fields_are_left_as_json():
    assert json_fields(b'{"a": [1, 2] , "b":{"c": null}}') == {"a": b"[1, 2]", "b": b'{"c": null}'}
    for content in (b"[]", b'{"a": 01}', b'{"a": "\xff"}'):
        with pytest.raises(UnexpectedFormError):
            json_fields(content)


def test_exact_objects_have_no_other_fields():
    for content in (b'[{"n": 1}]', b'[{"n": 1, "at": 2}]'):
        assert len(list(json_objects(content, FIELDS, exact=True))) == 1
    for content in (b'[{"n": 1, "x": 0}]', b'[{"n": 1, "at": %b}]' % (b"9" * 400), b'[{"n": 1}, {}]'):
        with pytest.raises(UnexpectedFormError):
            list(json_objects(content, FIELDS, exact=True))
