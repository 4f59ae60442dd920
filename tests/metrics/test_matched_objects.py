"""Matched objects for metrics of detections: hand-counted images."""

from thresher.components.detection import DetectionMatcher
from thresher.metrics import match_objects, read_matches

TRUE = {"labels": ["a", "b"], "boxes": [[0, 0, 10, 10], [20, 0, 30, 10]]}
FOUND = {
    "labels": ["a", "a", "b"],
    "boxes": [[0, 0, 10, 9], [0, 0, 10, 10], [20, 0, 30, 3]],
    "scores": [0.9, 0.8, 0.7],
}


def test_objects_are_counted_per_image():
    empty = {"labels": [], "boxes": []}
    matches = DetectionMatcher().run(
        ground_truths=[TRUE, empty, TRUE],
        predictions=[FOUND, empty | {"scores": []}, FOUND | {"scores": [0, 1, 0]}],
    )["matches"]
    objects = match_objects(read_matches(matches))
    assert objects.hit.tolist() == [True, False, False, False, True, False]
    assert objects.count(objects.hit).tolist() == [1, 0, 1]
    assert objects.count(~objects.hit & (objects.score > 0)).tolist() == [2, 0, 0]
    assert objects.total(objects.iou * objects.hit).tolist() == [0.9, 0, 1]
    assert objects.true_objects().tolist() == [2, 0, 2]
    assert not objects.ignored.any()
    assert match_objects(read_matches(matches), iou_threshold=0.95).hit.sum() == 2
