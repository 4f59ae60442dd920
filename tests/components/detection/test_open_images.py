"""Open Images' average precision: the golden case, plain loops on random images, and what is left out."""

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from thresher.components.detection import (
    DetectionColumns,
    DetectionMatcher,
    DetectionOpenImagesEvaluator,
    LabelHierarchy,
)
from thresher.errors import InputError

GOLDEN = Path(__file__).parents[2] / "golden" / "vision2" / "oid_01_group_and_hierarchy.json"
CASE = json.loads(GOLDEN.read_text(encoding="utf-8"))
NAMES = {row["id"]: row["name"] for row in CASE["gt"]["categories"]}
HIERARCHY = LabelHierarchy.of({"Car": "Vehicle"})
LABELS = tuple("abcd")


def evaluated(truths, predictions, **options):
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=truths)["matches"]
    return DetectionOpenImagesEvaluator(**options).run(matches=matches)["result"]


def by_label(result):
    columns = result.detail("by_label").columns
    return dict(zip(columns["label"], columns["ap"], strict=True))


def golden_side(rows):
    images = [[row for row in rows if row["image_id"] == image["id"]] for image in CASE["gt"]["images"]]
    scored = "score" in rows[0]
    return DetectionColumns.of(
        [
            {
                "labels": [NAMES[row["category_id"]] for row in image],
                "boxes": [row["bbox"] for row in image],
                "box_format": "xywh",
                **({"scores": [row["score"] for row in image]} if scored else {}),
                **({} if scored else {"crowd": [row["is_group_of"] for row in image]}),
            }
            for image in images
        ]
    )


@pytest.mark.parametrize("matching", ["voc", "coco"])
def test_the_golden_case(matching):
    truths, found = golden_side(CASE["gt"]["annotations"]), golden_side(CASE["dt"])
    ways = {
        "hotcoco_1.3.0": (truths, found),
        "hotcoco_1.3.0 with hierarchy": (HIERARCHY.expanded(truths), found),
        "hotcoco_1.3.0 with hierarchy, expand_dt": (HIERARCHY.expanded(truths), HIERARCHY.expanded(found)),
    }
    for name, sides in ways.items():
        expected = CASE["expected"][name]
        # hotcoco's mean is of areas; its values per category were taken from its curves of 101 points.
        assert evaluated(*sides, matching=matching).score == pytest.approx(expected["AP"], abs=1e-12)
        result = evaluated(*sides, matching=matching, integration="101")
        known = {NAMES[int(key)]: value for key, value in expected["per_class_AP"].items()}
        assert by_label(result) == pytest.approx(known, abs=1e-12)
    for groups, hand in zip(("once", "ignore"), CASE["hand"].values(), strict=True):
        person = by_label(evaluated(truths, found, matching=matching, groups=groups))["Person"]
        assert person == pytest.approx(hand["area_ap"], abs=1e-12)


def shares(mine, theirs):
    """Intersection over union, and over the first area."""
    width, height = (min(mine[at + 2], theirs[at + 2]) - max(mine[at], theirs[at]) for at in (0, 1))
    shared = max(width, 0) * max(height, 0)
    first, second = ((box[2] - box[0]) * (box[3] - box[1]) for box in (mine, theirs))
    return shared / (first + second - shared), shared / first


def outcomes(truths, predictions, groups, matching):
    """Per prediction of one image and label, by falling score: 1 hit, 0 wrong, None ignored."""
    objects = [box for box, is_group in truths if not is_group]
    regions = [box for box, is_group in truths if is_group]
    taken, found = set(), set()
    for box, _ in predictions:
        overlaps = [shares(box, other)[0] for other in objects]
        free = [at for at, overlap in enumerate(overlaps) if overlap >= 0.5 and at not in taken]
        if matching == "voc":
            best = int(np.argmax(overlaps)) if objects else -1
            free = [best] if best in free else []
        if free:
            taken.add(max(free, key=lambda at: (overlaps[at], at)))
            yield 1
            continue
        covers = [shares(box, region)[1] for region in regions]
        if max(covers, default=0) < 0.5:
            yield 0
            continue
        is_first = int(np.argmax(covers)) not in found
        found.add(int(np.argmax(covers)))
        yield 1 if is_first and groups == "once" else None


def area(ranked, objects):
    precision, recall = [], []
    for rank in range(1, len(ranked) + 1):
        precision.append(sum(ranked[:rank]) / rank)
        recall.append(sum(ranked[:rank]) / objects)
    rises = np.diff([0, *recall])
    return float(sum(max(precision[at:]) * rise for at, rise in enumerate(rises)))


def in_loops(images, groups, matching):
    """Average precisions by plain loops, over image after image and label after label."""
    ranked, objects = defaultdict(list), Counter()
    for truths, predictions, verified in images:
        for label in LABELS:
            mine = [(box, is_group) for name, box, is_group in truths if name == label]
            objects[label] += sum(not is_group or groups == "once" for _, is_group in mine)
            if verified is not None and not mine and label not in verified:
                continue
            found = [(box, score) for name, box, score in predictions if name == label]
            found.sort(key=lambda entry: -entry[1])
            states = outcomes(mine, found, groups, matching)
            ranked[label] += [(score, state) for (_, score), state in zip(found, states, strict=True)]
    values = {}
    for label in LABELS:
        rows = sorted(ranked[label], key=lambda entry: -entry[0])
        hits = [state for _, state in rows if state is not None]
        values |= {label: area(hits, objects[label])} if objects[label] else {}
    return values


def random_images(rng, *, federated):
    def near(box, wobble):
        left, top, right, bottom = (int(edge + step) for edge, step in zip(box, wobble, strict=True))
        return [min(left, right - 1), min(top, bottom - 1), right, bottom]

    for _ in range(rng.integers(2, 6)):
        truths = []
        for _ in range(rng.integers(0, 6)):
            left, top, width, height = rng.integers([0, 0, 5, 5], [60, 60, 50, 50])
            box = [left, top, left + width, top + height]
            truths.append((rng.choice(LABELS), list(map(int, box)), bool(rng.random() < 0.4)))
        found = [
            (label if rng.random() < 0.9 else rng.choice(LABELS), near(box, rng.integers(-9, 10, 4)))
            for label, box, _ in truths
            for _ in range(rng.integers(0, 4))
        ]
        scores = (
            rng.choice([0.2, 0.4, 0.6, 0.8], len(found)) if rng.random() < 0.3 else rng.random(len(found))
        )
        rows = [(*entry, float(score)) for entry, score in zip(found, scores, strict=True)]
        yield truths, rows, set(rng.choice(LABELS, 2)) if federated else None


def sides(images):
    truths = [
        {
            "labels": [label for label, *_ in objects],
            "boxes": [box for _, box, _ in objects],
            "crowd": [is_group for *_, is_group in objects],
            **({} if verified is None else {"federated": {"absent": sorted(verified)}}),
        }
        for objects, _, verified in images
    ]
    found = [
        {
            "labels": [label for label, *_ in rows],
            "boxes": [box for _, box, _ in rows],
            "scores": [score for *_, score in rows],
        }
        for _, rows, _ in images
    ]
    return truths, found


@pytest.mark.parametrize("seed", range(8))
def test_random_images_match_plain_loops(seed):
    images = list(random_images(np.random.default_rng(seed), federated=seed % 2 == 1))
    for groups in ("once", "ignore"):
        for matching in ("voc", "coco"):
            known = in_loops(images, groups, matching)
            result = evaluated(*sides(images), groups=groups, matching=matching)
            assert by_label(result) == pytest.approx(known, abs=1e-12)


def test_predictions_without_a_match_are_compared_with_groups():
    """A second prediction of an object is in the group; half of its area is enough."""
    truth = {"labels": ["cat"] * 2, "boxes": [[0, 0, 10, 10], [5, 0, 40, 40]], "crowd": [0, 1]}
    found = {"labels": ["cat"] * 2, "boxes": [[0, 0, 10, 9], [0, 0, 10, 8]], "scores": [0.9, 0.8]}
    assert evaluated([truth], [found]).score == 1.0
    assert evaluated([truth], [found], iou_threshold=0.6).score == 0.5
    missed = {"labels": ["cat"], "boxes": [[0, 0, 10, 9]], "scores": [0.9]}
    assert evaluated([truth], [missed]).score == 0.5
    assert evaluated([truth], [missed], groups="ignore").score == 1.0
    alone = {name: values[1:] for name, values in truth.items()}
    assert np.isnan(evaluated([alone], [found], groups="ignore").score)


@pytest.mark.parametrize("matching", ["voc", "coco"])
def test_an_overlap_equal_to_the_threshold_is_enough(matching):
    truth = {"labels": ["cat"], "boxes": [[0, 0, 10, 10]]}
    found = {"labels": ["cat"], "boxes": [[0, 0, 10, 5]], "scores": [0.9]}
    assert evaluated([truth], [found], matching=matching).score == 1.0
    assert evaluated([truth], [found], matching=matching, iou_threshold=0.501).score == 0.0


def test_a_prediction_in_two_groups_belongs_to_the_one_that_covers_more_or_is_first():
    truth = {"labels": ["cat"] * 2, "boxes": [[0, 0, 40, 40], [0, 0, 80, 80]], "crowd": [1, 1]}
    found = {"labels": ["cat"] * 2, "boxes": [[0, 0, 10, 10], [50, 50, 60, 60]], "scores": [0.9, 0.8]}
    assert evaluated([truth], [found]).score == 1.0
    found["boxes"][0] = [35, 0, 45, 10]
    assert evaluated([truth], [found]).score == 0.5


def test_groups_that_may_be_missed():
    truth = {"labels": ["cat"] * 2, "boxes": [[0, 0, 10, 10], [20, 0, 60, 60]], "crowd": [0, 1]}
    found = {"labels": ["cat"] * 2, "boxes": [[30, 0, 40, 9], [0, 0, 10, 10]], "scores": [0.9, 0.8]}
    assert evaluated([truth | {"difficult": [0, 1]}], [found]).score == 1.0
    assert evaluated([truth | {"federated": {"ignored": [0, 1]}}], [found]).score == 1.0


@pytest.mark.parametrize(
    ("verified", "precision"),
    [
        ({}, 1.0),
        ({"absent": ["dog"]}, 1.0),
        ({"absent": ["cat"]}, 0.5),
        ({"absent": ["cat"], "not_exhaustive": ["cat"]}, 1.0),
    ],
)
def test_labels_that_were_not_verified_are_left_out(verified, precision):
    """A cat is predicted in the second image, where none is annotated."""
    cat = {"labels": ["cat"], "boxes": [[0, 0, 10, 10]]}
    empty = {"labels": [], "boxes": [], "federated": verified}
    result = evaluated([cat, empty], [cat | {"scores": [0.5]}, cat | {"scores": [0.9]}])
    assert result.score == precision


def test_a_hierarchy():
    hierarchy = LabelHierarchy.of({"taxi": ["car", "service"], "car": "vehicle", "boat": "vehicle"})
    assert hierarchy.ancestors["taxi"] == ("car", "service", "vehicle")
    assert hierarchy.verified(["car"], []) == {"car", "vehicle"}
    assert hierarchy.verified(["dog"], ["vehicle"]) == {"dog", "vehicle", "car", "boat", "taxi"}
    federated = {
        "absent": ["vehicle"],
        "not_exhaustive": ["boat"],
        "ignored": [1, 0],
        "frequency": ["rare", None],
    }
    sides = [
        {
            "labels": ["car", "dog"],
            "boxes": [[0, 0, 9, 9], [1, 1, 5, 5]],
            "ids": ["x", "y"],
            "federated": federated,
        },
        {"labels": [], "boxes": []},
        {"labels": ["taxi"], "boxes": [[0, 0, 4, 4]], "crowd": [1]},
    ]
    first, empty, last = hierarchy.expanded(DetectionColumns.of(sides))
    assert list(map(str, first.labels)) == ["car", "vehicle", "dog"]
    assert first.ids == ("x", "x", "y")
    assert first.to_dict()["federated"] == {
        "absent": ["boat", "car", "taxi", "vehicle"],
        "not_exhaustive": ["boat", "vehicle"],
        "frequency": ["rare", "rare", None],
        "ignored": [True, True, False],
    }
    assert len(empty) == 0
    assert list(map(str, last.labels)) == ["taxi", "car", "service", "vehicle"]
    assert last.crowd.all()
    assert len(hierarchy.expanded(DetectionColumns.of([]))) == 0


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ({"car": "vehicle", "vehicle": "car"}, "the label 'car' is broader than itself"),
        ({"car": 1.5}, "1.5 is not a label"),
        (["car"], r"parents is \['car'\]; give a dict label -> its broader label"),
    ],
)
def test_malformed_hierarchies(parents, message):
    with pytest.raises(InputError, match=message):
        LabelHierarchy.of(parents)
