"""The scanner of COCO's lists reads what msgspec reads, bit for bit, or leaves the list to it."""

import json
import os
import random

import numpy as np
import pytest

from thresher.datasets import _coco_columns
from thresher.datasets._coco_columns import CocoColumns
from thresher.datasets._coco_scanner import _coco_list, scan
from thresher.files.typed_json import UnexpectedFormError

pytest.importorskip("msgspec", reason="the scanner is compared with msgspec")

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "3")))
RESULT = {"image_id": 1, "category_id": 18, "bbox": [0.5, -1.25, 3, 4e1], "score": 0.75}
ANNOTATION = {"id": 7, "image_id": 1, "category_id": 18, "bbox": [1, 2, 3, 4], "area": 11.5, "iscrowd": 1}
POSE = {"image_id": 1, "category_id": 18, "keypoints": [0.5, 2, 1, 3e1, -4, 0], "score": 0.75}
TRUE_POSE = ANNOTATION | {"keypoints": [1, 2, 2, 0, 0, 0], "num_keypoints": 1}
KINDS = {(True, False): RESULT, (False, False): ANNOTATION, (True, True): POSE, (False, True): TRUE_POSE}
"""Whether results, whether with keypoints -> an object."""
SHAPES = (
    [],
    [[1, 2.5, 3, -4e2, 0, 6]],
    {"size": [4, 6], "counts": [0, 4, 20]},
    {"counts": "04\\\\`0Q1\\n/", "size": []},
    [{}, [[]]],
)
NUMBERS = (
    "0",
    "-0",
    "-0.0",
    "1",
    "-1",
    "01",
    "1.",
    ".5",
    "+1",
    "1e5",
    "1E-7",
    "2.5e+3",
    "1e",
    "1e400",
    "1e-400",
)
NUMBERS += ("4.9406564584124654e-324", "9007199254740993", "9007199254740993.0", "123456789012345678901.5")
NUMBERS += ("0.1234567890123456789", "18446744073709551616", "0." + "0" * 30 + "1", "0." + "3" * 400)
NUMBERS += ("NaN", "null", "true", '"1"', "[1]", "1 2")
BYTES = b' \t\n\r\x00{}[]:,"\\0123456789-+.eE\xc3a'


def bits(columns):
    return {
        name: None if column is None else (column.dtype == float, column.shape, column.tobytes())
        for name, column in vars(columns).items()
        if name not in ("crowd", "keypoints")
    } | {
        "crowd": columns.crowd.astype(bool).tolist(),
        "keypoints": columns.keypoints
        and [None if part is None else part.tobytes() for part in vars(columns.keypoints).values()],
    }


def outcome(content, scored, keypoints):
    try:
        return bits(CocoColumns.of(content, scored=scored, keypoints=keypoints))
    except UnexpectedFormError:
        return None


def assert_equal(content, scored, monkeypatch, *, keypoints=False):
    """Whether the scanner read the list; it must agree with msgspec then."""
    scanned = scan(content, scored=scored, keypoints=keypoints)
    if scanned is None:
        return False
    fast = outcome(content, scored, keypoints)
    with monkeypatch.context() as patch:
        patch.setattr(_coco_columns, "scan", lambda *_, **__: None)
        assert outcome(content, scored, keypoints) == fast, content
    return True


def random_object(rng, scored, *, keypoints=False):
    def number():
        digits = rng.choice([0, 2, 6, 15, 17])
        return rng.choice([round(rng.uniform(-10, 700), digits), rng.randrange(700), rng.expovariate(1e-3)])

    row = dict(RESULT if scored else ANNOTATION)
    row |= {"image_id": rng.randrange(-5, 10**12), "bbox": [number(), number(), abs(number()), abs(number())]}
    row |= {"score": rng.random()} if scored else {"area": abs(number()), "id": rng.randrange(10**6)}
    row |= {"segmentation": rng.choice(SHAPES)} if rng.random() < 0.5 else {}
    if keypoints:
        row |= {"keypoints": [number() for _ in range(3 * rng.choice([2, 2, 1, 4]))]}
        row |= {"num_keypoints": rng.randrange(3)} if rng.random() < 0.5 else {}
        row = {name: row[name] for name in row if name != "bbox" or rng.random() < 0.5}
    names = list(row)
    rng.shuffle(names)
    return {
        name: row[name] for name in names if scored or name not in ("area", "iscrowd") or rng.random() < 0.8
    }


@pytest.mark.parametrize(("scored", "keypoints"), KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_lists_are_read_as_by_msgspec(native, monkeypatch, seed, scored, keypoints):
    rng = random.Random(seed)  # noqa: S311
    rows = [random_object(rng, scored, keypoints=keypoints) for _ in range(200)]
    if scored and seed % 2:
        rows = [row | {"id": at, "iscrowd": at % 2} for at, row in enumerate(rows)]
    for indent in (None, 1):
        content = json.dumps(rows, indent=indent).encode()
        assert assert_equal(content, scored, monkeypatch, keypoints=keypoints)
        assert outcome(content, scored, keypoints), "a value was out of its range"


@pytest.mark.parametrize(("scored", "keypoints"), KINDS)
@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_of_any_form_are_read_as_by_msgspec(native, monkeypatch, number, scored, keypoints):
    text = json.dumps([KINDS[scored, keypoints] | {"segmentation": [[1, 2, 3]]}])
    for old in ("0.75", "11.5", "[0.5", "[1,", ": 18", '"id": 7', '"iscrowd": 1', '"num_keypoints": 1'):
        new = old.rstrip("0123456789.,") + number + ("," if old.endswith(",") else "")
        assert_equal(text.replace(old, new).encode(), scored, monkeypatch, keypoints=keypoints)


@pytest.mark.parametrize(("scored", "keypoints"), KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_changed_bytes_are_read_as_by_msgspec_or_left_to_it(native, monkeypatch, seed, scored, keypoints):
    rng = random.Random(seed)  # noqa: S311
    whole = json.dumps([random_object(rng, scored, keypoints=keypoints) for _ in range(3)]).encode()
    read = 0
    for _ in range(1500):
        content = bytearray(whole[: rng.choice([len(whole), rng.randrange(len(whole))])])
        for _ in range(rng.randrange(1, 3)):
            if content:
                at = rng.randrange(len(content))
                content[at : at + rng.randrange(2)] = bytes(rng.choices(BYTES, k=rng.randrange(2)))
        read += assert_equal(bytes(content), scored, monkeypatch, keypoints=keypoints)
    assert read


@pytest.mark.parametrize(
    "text",
    ["", "[", "[]", "{}", "[{}]", "[[]]", "[{", '[{"', '[{"id', '[{"id":', "null", '[{"bbox":[1,2,3,4]'],
)
def test_lists_without_objects_are_left_to_others(native, text):
    assert scan(text.encode(), scored=True) is None
    assert scan(text.encode(), scored=False) is None


@pytest.mark.parametrize("change", [{"caption": []}, {"area": 3.0}, {"score": None}, {"image_id": "a"}])
def test_other_fields_and_values_are_left_to_others(native, change):
    assert scan(json.dumps([RESULT]).encode(), scored=True) is not None
    assert scan(json.dumps([RESULT | change]).encode(), scored=True) is None


def test_ids_in_part_are_left_to_others(native):
    assert scan(json.dumps([RESULT, RESULT | {"id": 4}]).encode(), scored=True) is None


def test_a_repeated_field_is_left_to_others(native):
    content = json.dumps([RESULT]).replace('"score"', '"image_id": 2, "score"').encode()
    assert scan(content, scored=True) is None


@pytest.mark.parametrize("shape", [*SHAPES, 5, "a"])
def test_shapes_are_skipped(native, shape):
    scanned = scan(json.dumps([RESULT | {"segmentation": shape}, RESULT]).encode(), scored=True)
    assert scanned["scores"].tolist() == [0.75, 0.75]


@pytest.mark.parametrize(
    "shape",
    ["[1,]", "[1 2]", "{1:2}", '{"a"}', '"\\u0061"', '"\t"', '"é"', "null", "01", "1" * 50, "[[[[[]]]]]"],
)
def test_malformed_and_unusual_shapes_are_left_to_others(native, shape):
    text = json.dumps([RESULT | {"segmentation": 0}]).replace(": 0}", f": {shape}}}")
    assert scan(text.encode(), scored=True) is None


def test_what_objects_with_keypoints_lack_is_computed(native):
    content = json.dumps([POSE, POSE | {"num_keypoints": 7, "bbox": [1, 2, 3, 4]}]).encode()
    scanned = scan(content, scored=True, keypoints=True)
    assert scanned["points"].tolist() == [*np.reshape(POSE["keypoints"], (2, 3)).tolist()] * 2
    assert scanned["sizes"].tolist() == [2, 2]
    assert scanned["counts"].tolist() == [1, 7]
    assert scanned["boxes"].tolist() == [[0.5, -4, 29.5, 6], [1, 2, 3, 4]]


def test_objects_may_have_different_skeletons(native):
    content = json.dumps([POSE, POSE | {"keypoints": [7, 8, 2]}]).encode()
    points = CocoColumns.of(content, scored=True, keypoints=True).keypoints
    assert points.points[1].tolist() == [[7, 8, 2], [0, 0, 0]]
    assert (points.sizes.tolist(), points.counts.tolist()) == ([2, 1], [1, 1])


@pytest.mark.parametrize("points", [[], [1, 2], [[1]], None, "a", ["a"] * 6])
def test_keypoints_of_other_forms_are_left_to_others(native, points):
    rows = [POSE, POSE | {"keypoints": points}]
    for order in (rows, rows[::-1]):
        assert scan(json.dumps(order).encode(), scored=True, keypoints=True) is None
        assert scan(json.dumps(order).encode(), scored=True) is None


def test_no_more_is_written_than_there_is_room(native):
    content = np.frombuffer(json.dumps([RESULT, RESULT]).encode(), np.uint8)
    with pytest.raises(ValueError, match="coco_list"):
        _coco_list(content, 1, *room(points=0, counts=0), np.zeros(2, np.int64))
    content = np.frombuffer(json.dumps([POSE]).encode(), np.uint8)
    with pytest.raises(ValueError, match="coco_list"):
        _coco_list(content, 1, *room(points=5, counts=1), np.zeros(2, np.int64))


@pytest.mark.parametrize(("points", "counts"), [(6, 0), (0, 1), (6, 2)])
def test_room_for_keypoints_must_fit_that_for_their_counts(native, points, counts):
    content = np.frombuffer(json.dumps([POSE]).encode(), np.uint8)
    with pytest.raises(ValueError, match="coco_list"):
        _coco_list(content, 1, *room(points, counts), np.zeros(2, np.int64))


def room(points, counts):
    """Columns for one object."""
    sizes = ((1, int), (1, int), (4, float), (1, float), (1, int), (1, int), (points, float))
    return [np.empty(size, kind) for size, kind in (*sizes, (counts, int), (counts, int), (0, int))]
