"""KITTI's benchmark: random data against its rules, written as two passes over all images per threshold."""

import numpy as np
import pytest

from thresher import EvaluationResults
from thresher.components.detection import DetectionKittiEvaluator, DetectionMatcher, Detections
from thresher.errors import InputError

LEVELS = ("easy", "moderate", "hard")
OVERLAPS = {"Car": 0.7, "Pedestrian": 0.5}
NEIGHBOURS = {"Car": "Van", "Pedestrian": "Person_sitting"}
HEIGHTS = {"easy": 40, "moderate": 25, "hard": 25}


def overlap(one, two, of_first=False):
    across = min(one[2], two[2]) - max(one[0], two[0])
    down = min(one[3], two[3]) - max(one[1], two[1])
    if across <= 0 or down <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, two)]
    return across * down / (areas[0] if of_first else sum(areas) - across * down)


def state(name, own_level, label, level):
    """0 for a true object that counts, 1 for one that is ignored, -1 for one of another label."""
    if name == NEIGHBOURS[label]:
        return 1
    harder = own_level == "none" or LEVELS.index(own_level) > LEVELS.index(level)
    return int(harder) if name == label else -1


def preferred(found, least, box, *, by_score):
    """The prediction that a true object takes: that of the highest score, or overlap of those that count."""
    best = None
    for row, ((_, place, score), counts) in found.items():
        shared = overlap(place, box)
        if shared > least:
            rank = (score,) if by_score else (counts, shared if counts else 0)
            if best is None or rank > best[0]:
                best = rank, row
    return None if best is None else best[1]


def statistics(image, label, level, threshold=None):
    """True positives with their scores, and false positives; with a threshold as for precision."""
    small = [box[3] - box[1] < HEIGHTS[level] for _, box, _ in image["found"]]
    names = [name for name, _, _ in image["found"]]
    valid = [1 if low else 0 if name == label else -1 for name, low in zip(names, small, strict=True)]
    scores = [score for _, _, score in image["found"]]
    there = [row for row, score in enumerate(scores) if threshold is None or score >= threshold]
    assigned, hits = set(), []
    for name, box, own_level in image["truths"]:
        counts = state(name, own_level, label, level)
        free = [row for row in there if valid[row] != -1 and row not in assigned and counts != -1]
        found = {row: (image["found"][row], valid[row] == 0) for row in free}
        row = preferred(found, OVERLAPS[label], box, by_score=threshold is None)
        if row is not None:
            assigned.add(row)
            hits += [scores[row]] if counts == valid[row] == 0 else []
    false = 0
    for row in there:
        box = image["found"][row][1]
        in_region = any(overlap(box, region, of_first=True) > OVERLAPS[label] for region in image["regions"])
        false += valid[row] == 0 and row not in assigned and not in_region
    return hits, false


def expected(images, label, level):
    """Curves of precision by the kit's scores, and at exact recalls; none without a true object."""
    positives = sum(
        name == label and own != "none" and LEVELS.index(own) <= LEVELS.index(level)
        for image in images
        for name, _, own in image["truths"]
    )
    if not positives:
        return {}
    recalled = sorted((s for image in images for s in statistics(image, label, level)[0]), reverse=True)
    chosen, recall = [], 0.0
    for at, score in enumerate(recalled):
        here, following = (at + 1) / positives, (at + 2) / positives
        if at + 1 < len(recalled) and following - recall < recall - here:
            continue
        chosen.append(score)
        recall += 1 / 40

    def point(threshold):
        parts = [statistics(image, label, level, threshold) for image in images]
        right, wrong = sum(len(hits) for hits, _ in parts), sum(false for _, false in parts)
        return right / positives, right / (right + wrong) if right + wrong else 0.0

    curve = [point(threshold)[1] for threshold in chosen][:41]
    curve += [0.0] * (41 - len(curve))
    kit = [max(curve[at:]) for at in range(41)]
    points = [point(score) for score in {s for image in images for _, _, s in image["found"]}]
    exact = [max((p for r, p in points if r >= at / 40 - 1e-9), default=0.0) for at in range(41)]
    return {"kit": kit, "exact": exact}


def drawn(seed, images=14):
    """Crowded images with all that the rules name, and scores with ties."""
    rng = np.random.default_rng(seed)

    def box(low=15):
        corner, size = rng.uniform(0, 120, 2), rng.uniform(low, 70, 2)
        return [*corner.tolist(), *(corner + size).tolist()]

    made = []
    for _ in range(images):
        names = ["Car", "Car", "Pedestrian", "Van", "Person_sitting", "Misc"]
        levels = ["easy", "easy", "moderate", "hard", "none"]
        truths = [(str(rng.choice(names)), box(), str(rng.choice(levels))) for _ in range(rng.integers(0, 8))]
        found = [
            (
                str(rng.choice([name, "Car", "Pedestrian"], p=[0.7, 0.2, 0.1])),
                (np.array(place) + rng.normal(0, 2, 4)).tolist(),
                round(float(rng.random()), 2),
            )
            for name, place, _ in truths
            for _ in range(rng.integers(0, 4))
        ]
        found += [
            (str(rng.choice(["Car", "Pedestrian"])), box(), round(float(rng.random()), 2))
            for _ in range(rng.integers(0, 4))
        ]
        made.append(
            {"truths": truths, "found": found, "regions": [box(40) for _ in range(rng.integers(0, 2))]}
        )
    return made


def inputs(images):
    predictions, truths, levels = [], [], []
    for image in images:
        rows = [*image["truths"], *(("Car", region, "none") for region in image["regions"])]
        crowd = [False] * len(image["truths"]) + [True] * len(image["regions"])
        sides = [list(zip(*entries, strict=True)) or [(), (), ()] for entries in (rows, image["found"])]
        truths.append(Detections.of(sides[0][0], geometries=list(sides[0][1]), crowd=crowd))
        predictions.append(Detections.of(sides[1][0], geometries=list(sides[1][1]), scores=list(sides[1][2])))
        levels.append(list(sides[0][2]))
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=truths)["matches"]
    return {"matches": matches, "difficulty_levels": levels}


def evaluated(images, **options):
    return DetectionKittiEvaluator(overlaps=OVERLAPS, **options).run(**inputs(images))["result"]


@pytest.mark.parametrize("seed", range(5))
def test_random_data_against_the_rules(seed):
    images = drawn(seed)
    curves = {(label, level): expected(images, label, level) for label in OVERLAPS for level in LEVELS}
    for precision_at in ("kit", "exact"):
        for recalls, part in (("40", slice(1, None)), ("11", slice(None, None, 4))):
            result = evaluated(images, precision_at=precision_at, recalls=recalls)
            rows = {row["label"]: row for row in result.detail("by_label").rows()}
            for level in LEVELS:
                known = [label for label in OVERLAPS if curves[label, level]]
                wanted = {label: np.mean(curves[label, level][precision_at][part]) for label in known}
                actual = {label: rows[label][f"ap_{level}"] for label in known}
                assert actual == pytest.approx(wanted, abs=1e-12), (precision_at, recalls, level)
                if precision_at == "exact":
                    mean = result.value(f"detection_kitti_map_{level}")
                    assert mean == pytest.approx(np.mean(list(wanted.values())))
                assert [row for row in rows if rows[row][f"ap_{level}"] is not None] == known


def test_of_many_objects_the_kit_passes_over_scores():
    """130 cars, of which most are found: several recalled objects per step of recall."""
    rng = np.random.default_rng(2)
    car, images = [0, 0, 50, 50], []
    for _ in range(130):
        found = [("Car", car, float(rng.random()))] if rng.random() < 0.9 else []
        found += [("Car", [90, 0, 150, 50], float(rng.random()))] if rng.random() < 0.4 else []
        images.append({"truths": [("Car", car, "easy")], "found": found, "regions": []})
    curve = expected(images, "Car", "hard")["kit"]
    assert evaluated(images).value("detection_kitti_map_hard") == pytest.approx(np.mean(curve[1:]), abs=1e-12)


def test_weights_are_images_that_occur_several_times():
    images = drawn(3, images=300)
    weights = [2, 0, 1, *[1] * (len(images) - 3)]
    several = [image for image, times in zip(images, weights, strict=True) for _ in range(times)]
    for precision_at in ("kit", "exact"):
        options = {"precision_at": precision_at}
        one, other = evaluated(images, **options), evaluated(several, **options)
        for level in LEVELS:
            name = f"detection_kitti_map_{level}"
            assert one.value(name, weights) == pytest.approx(other.value(name), abs=1e-12)


@pytest.mark.parametrize(("count", "kit"), [(20, 19 / 40), (40, 39 / 40), (41, 1.0)])
def test_few_objects_leave_steps_of_the_kit_empty(count, kit):
    """The first of the chosen scores is for recall 0, which does not count; all objects are found."""
    image = {"truths": [("Car", [0, 0, 50, 50], "easy")], "regions": []}
    images = [{**image, "found": [("Car", [0, 0, 50, 50], at / count)]} for at in range(count)]
    result, name = evaluated(images), "detection_kitti_map_easy"
    assert next(iter(result.detail("by_label").rows()))["ap_easy"] == pytest.approx(kit)
    assert result.value(name) == pytest.approx(np.nan if count < 40 else kit, nan_ok=True)
    assert "fewer than 40 true objects of the level easy (precision_at" in result.measures[1].reduction.lacks
    assert evaluated(images, precision_at="exact").value(name) == 1.0


@pytest.mark.parametrize(("count", "precision_at"), [(39, "kit"), (40, "kit"), (39, "exact")])
def test_a_label_with_too_few_objects_has_no_interval_and_no_verdict(count, precision_at):
    image = {"truths": [("Car", [0, 0, 50, 50], "easy")], "regions": []}
    found = ("Car", [0, 0, 50, 50], 0.5)
    runs = [
        EvaluationResults(
            {"id": list(map(str, range(count)))},
            [
                evaluated(
                    [{**image, "found": [found] * (at % gaps > 0)} for at in range(count)],
                    precision_at=precision_at,
                )
            ],
            name=name,
        )
        for name, gaps in (("a", 2), ("b", 5))
    ]
    name, few = "detection_kitti_map_easy", (count, precision_at) == (39, "kit")
    report = runs[0].report_by_label(metrics=[name])
    (label,) = report.data()["labels"]
    comparison = runs[0].compare_by_label(runs[1], metrics=[name])
    (row,) = comparison.rows
    assert comparison.obstacles == (["no label has enough objects for an interval."] if few else [])
    assert ("too few objects for an interval for 1 label" in comparison.reading[0]) == few
    assert (label["interval"] is None, row.comparison.interval is None) == (few, few)
    why = f"No interval for 1 label: fewer than 40 objects, for which {name} is not defined."
    assert (why in report.reading) == few
    assert row.verdict == "inconclusive" or not few
    assert (
        any("has no value: a label has fewer than 40 true objects" in line for line in report.reading) == few
    )


def test_labels_with_enough_objects_are_compared_although_their_mean_has_no_value():
    image = {"truths": [("Car", [0, 0, 50, 50], "easy")], "regions": []}
    rare = {"truths": [*image["truths"], ("Pedestrian", [90, 0, 120, 60], "easy")], "regions": []}
    runs = [
        EvaluationResults(
            {"id": list(map(str, range(45)))},
            [
                evaluated(
                    [
                        {
                            **(rare if at < 5 else image),
                            "found": [("Car", [0, 0, 50, 50], 0.5)] * (at % gaps > 0),
                        }
                        for at in range(45)
                    ],
                )
            ],
        )
        for gaps in (2, 5)
    ]
    comparison = runs[0].compare_by_label(runs[1], metrics=["detection_kitti_map_easy"])
    assert comparison.obstacles == []
    assert comparison.reading[0].endswith("better for Car; too few objects for an interval for 1 label.")


def test_labels_have_values_of_their_own():
    result = evaluated(drawn(3), precision_at="exact")
    reduction = result.measures[0].reduction
    values, objects = reduction.by_label(result.statistics, np.ones((2, result.statistics.size)))
    rows = list(result.detail("by_label").rows())
    assert values[1].tolist() == [row["ap_moderate"] for row in rows]
    assert objects[1].tolist() == [row["truths_moderate"] for row in rows]
    assert [str(label) for label in reduction.label_names(result.statistics)] == [
        row["label"] for row in rows
    ]


def test_levels_without_a_column_follow_from_heights():
    truths = [Detections.of(["Car", "Car", "Car"], [[0, 0, 50, 50], [100, 0, 150, 30], [200, 0, 250, 9]])]
    found = [Detections.of(["car"], [[0, 0, 50, 50]], [0.9])]
    matches = DetectionMatcher().run(predictions=found, ground_truths=truths)["matches"]
    row = next(iter(DetectionKittiEvaluator().run(matches=matches)["result"].detail("by_label").rows()))
    assert (row["label"], row["truths_easy"], row["truths_moderate"], row["truths_hard"]) == ("Car", 1, 2, 2)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([["easy"]], r"difficulty_levels has 1 entry, but there are 2 images"),
        ([["easy"], []], r"difficulty_levels\[1\] has 0 entries, but the image has 1 true object"),
        ([["easy"], ["simple"]], r"difficulty_levels\[1\] has 'simple'; give easy, moderate, hard, none"),
    ],
)
def test_levels_that_do_not_fit_are_refused(levels, message):
    image = {"truths": [("Car", [0, 0, 50, 50], "easy")], "found": [], "regions": []}
    matches = inputs([image, image])["matches"]
    with pytest.raises(InputError, match=message):
        DetectionKittiEvaluator().run(matches=matches, difficulty_levels=levels)


@pytest.mark.parametrize("overlaps", [{}, {"Car": 0}, {"Car": 1}, {"Car": float("nan")}])
def test_overlaps_that_cannot_be_are_refused(overlaps):
    with pytest.raises(InputError, match="overlaps"):
        DetectionKittiEvaluator(overlaps=overlaps)
