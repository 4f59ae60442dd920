import math

import numpy as np
import pytest

from detection_samples import LABELS, coco, detections, images
from thresher.components.detection import DetectionF1Evaluator, DetectionMatcher
from thresher.kernels.inference import Target, compare
from thresher.kernels.inference.label_comparison import compare_labels
from thresher.kernels.inference.label_estimates import has_labels, label_estimates

pytestmark = pytest.mark.filterwarnings("ignore:all scores of predictions are above")


def sample(seed, size=30, recall=0.7):
    generator = np.random.default_rng(seed)
    truths = images(generator, size)
    return truths, detections(generator, truths, recall)


def by_label(result, weights):
    rows = result.detail("by_label", weights=weights).rows()
    return {row["label"]: row["ap"] for row in rows}


def jackknife_error(result, label):
    """The standard error by leaving out images one by one, from the table of labels."""
    whole = np.ones(len(result))
    without = [by_label(result, whole - row)[label] for row in np.eye(len(result))]
    size = len(without)
    return math.sqrt((size - 1) / size * float(np.sum((np.array(without) - np.mean(without)) ** 2)))


def test_values_objects_and_standard_errors_are_those_of_the_labels():
    target = coco(*sample(3))
    table = {row["label"]: row for row in target.result.detail("by_label").rows()}
    for each in label_estimates(target):
        row = table[each.label.value]
        assert (each.value, each.objects) == (row["ap"], row["truths"])
        if each.interval is None:
            continue
        expected = jackknife_error(target.result, each.label.value)
        assert each.standard_error == pytest.approx(expected, rel=1e-9)
        assert each.interval.low < each.value < each.interval.high


def test_a_label_in_two_images_has_a_value_and_no_interval():
    truths, found = sample(5)
    truths = [{**image, "labels": [*image["labels"]]} for image in truths]
    box = {"labels": ["twice"], "boxes": np.array([[0.0, 0, 9, 9]])}
    for image in (0, 1):
        truths[image] = {
            "labels": [*truths[image]["labels"], *box["labels"]],
            "boxes": np.vstack([truths[image]["boxes"], box["boxes"]]),
        }
    values = {each.label.value: each for each in label_estimates(coco(truths, found))}
    assert (values["twice"].value, values["twice"].objects, values["twice"].interval) == (0.0, 2.0, None)
    assert values["often"].interval is not None


def test_a_label_that_is_always_found_is_not_certain():
    image = {"labels": ["cat"], "boxes": [[0, 0, 10, 10]]}
    target = coco([image] * 6, [image | {"scores": [0.9]}] * 6)
    (cat,) = label_estimates(target)
    assert cat.value == 1
    assert 0.4 < cat.interval.low < 0.7
    assert cat.interval.high == 1


def test_one_image_has_values_and_other_measures_have_none():
    target = coco(*sample(1, size=1))
    assert all(each.interval is None for each in label_estimates(target))
    assert has_labels(target)
    f1 = DetectionF1Evaluator().run(matches=DetectionMatcher().run(*sample(1, size=1)[::-1])["matches"])[
        "result"
    ]
    assert not has_labels(Target(f1, "detection_f1"))
    assert label_estimates(Target(f1, "detection_f1")) == []


def test_clusters_are_left_out_as_a_whole():
    target = coco(*sample(2, size=40))
    alone = {each.label: each for each in label_estimates(target)}
    pairs = {each.label: each for each in label_estimates(target, clusters=[at // 10 for at in range(40)])}
    assert pairs.keys() == alone.keys()
    often = next(label for label in alone if label.value == "often")
    assert pairs[often].interval != alone[often].interval


@pytest.mark.simulation
@pytest.mark.parametrize(("size", "recall"), [(25, 0.7), (60, 0.97)])
def test_intervals_contain_the_mean_of_such_sets(size, recall):
    drawn = {label: [] for label in LABELS}
    for seed in range(80):
        for each in label_estimates(coco(*sample(seed, size, recall))):
            drawn[each.label.value].append(each)
    for label in LABELS[:3]:
        values = drawn[label]
        mean = np.mean([each.value for each in values])
        inside = [each.interval.low <= mean <= each.interval.high for each in values if each.interval]
        assert np.mean(inside) > 0.9
        # Random values as far off as intervals allow would be wide enough too: they must not be too wide.
        width = np.mean([each.interval.high - each.interval.low for each in values if each.interval])
        assert width < 6 * np.std([each.value for each in values]) + 0.1


def runs(seed, size, recalls):
    generator = np.random.default_rng(seed)
    truths = images(generator, size)
    return [coco(truths, detections(generator, truths, recall)) for recall in recalls]


def test_differences_are_those_of_the_values():
    first, second = runs(4, 40, (0.6, 0.8))
    values = [{each.label: each.value for each in label_estimates(target)} for target in (first, second)]
    swapped = compare_labels(second, first)
    for label, change in compare_labels(first, second).items():
        assert (change.first_value, change.second_value) == (values[0][label], values[1][label])
        assert change.difference == pytest.approx(change.second_value - change.first_value)
        assert swapped[label].difference == pytest.approx(-change.difference)
        assert swapped[label].p_value == pytest.approx(change.p_value)
        if change.interval is not None:
            assert (change.p_value <= 0.05) == (not change.interval.low <= 0 <= change.interval.high)


def test_runs_that_are_alike_have_no_difference_and_a_width():
    first, _ = runs(4, 40, (0.6, 0.8))
    for change in compare_labels(first, first).values():
        assert change.difference == 0
        if change.interval is not None:
            assert change.p_value == 1
            assert change.interval.low < 0 < change.interval.high


def test_runs_are_joined_by_the_names_of_labels():
    truths, found = sample(8)
    renamed = [{**image, "labels": ["aaa" for _ in image["labels"]]} for image in found]
    wrong, right = coco(truths, renamed), coco(truths, found)
    values = by_label(right.result, np.ones(30))
    assert wrong.result.statistics.labels != right.result.statistics.labels
    for label, change in compare_labels(wrong, right).items():
        assert label.value in LABELS
        assert change.first_value == 0
        assert change.second_value == values[label.value]


@pytest.mark.parametrize(
    ("holders", "lowest", "highest"), [(3, 0.05, 0.2), (5, 0.025, 0.035), (8, 0.001, 0.004)]
)
def test_few_images_give_the_p_value_of_a_sign_test_with_mid_p(holders, lowest, highest):
    """The label is found by one detector in all of its images and by the other in none."""
    both = {"labels": ["cat"], "boxes": [[0, 0, 10, 10]]}
    other = {"labels": ["dog"], "boxes": [[0, 0, 10, 10]]}
    truths = [both] * holders + [other] * (20 - holders)
    all_found = [image | {"scores": [0.9]} for image in truths]
    dogs = [image | {"scores": [0.9]} if image is other else None for image in truths]
    found = [image or {"labels": [], "boxes": [], "scores": []} for image in dogs]
    changes = {
        label.value: change
        for label, change in compare_labels(coco(truths, found), coco(truths, all_found)).items()
    }
    assert changes["cat"].difference == 1
    assert lowest <= changes["cat"].p_value <= highest
    assert changes["dog"].p_value == 1


@pytest.mark.simulation
def test_equal_detectors_are_rarely_told_apart_and_different_ones_mostly():
    errors, detected, words = [], [], {"better", "likely better"}
    for seed in range(50):
        equal, different = runs(seed, 60, (0.6, 0.6)), runs(seed, 60, (0.6, 0.85))
        errors.append([compare(*equal).p_value, *(_p_values(equal)[label] for label in LABELS[:2])])
        label = {label.value: change for label, change in compare_labels(*different).items()}["often"]
        detected.append([compare(*different).verdict in words, label.verdict in words])
    assert (np.mean(np.array(errors) <= 0.05, axis=0) <= 0.14).all()  # 5 % and 3 standard errors
    assert (np.mean(detected, axis=0) >= 0.75).all()


def _p_values(pair):
    return {label.value: change.p_value for label, change in compare_labels(*pair).items()}
