"""Panoptic quality: the golden cases, sets of pixels on random maps, and what is refused."""

import numpy as np
import pytest

from panoptic_cases import (
    LABELS,
    STEM,
    THINGS,
    golden,
    golden_inputs,
    merged,
    plain_counts,
    plain_means,
    random_images,
)
from thresher.components.segmentation import PanopticMap, SegmentationPanopticQualityEvaluator
from thresher.errors import InputError
from thresher.kernels.inference.estimate import interval
from thresher.kernels.segmentation import panoptic_map
from thresher.results import MetricResult

API = "panopticapi_7bb4655"
EQUAL = [
    *("pq_01_basic", "pq_02_void", "pq_04_crowd", "pq_05_two_crowds", "pq_08_only_things"),
    *("pq_09_stuff_in_two_segments", "pq_13_random"),
]
MEASURES = {"": ("All", "pq"), "_sq": ("All", "sq"), "_rq": ("All", "rq")}
MEASURES |= {"_things": ("Things", "pq"), "_stuff": ("Stuff", "pq")}


def run(truths, found, **options):
    return SegmentationPanopticQualityEvaluator(**options).run(ground_truths=truths, predictions=found)[
        "result"
    ]


def golden_result(name, **options):
    return run(*golden_inputs(golden(name)).values(), **options)


def counts(result):
    return {row["label"]: [row["tp"], row["fp"], row["fn"]] for row in result.detail("by_label").rows()}


def by_kind(result):
    return {row["kind"]: [row["pq"], row["sq"], row["rq"]] for row in result.detail("by_kind").rows()}


@pytest.mark.parametrize("name", EQUAL)
def test_golden_cases_equal_panopticapi(name):
    expected, result = golden(name)["expected"][API], golden_result(name)
    for ending, (group, quantity) in MEASURES.items():
        number = expected[group].get(quantity, np.nan)  # panopticapi divides by zero without a label
        assert result.value(STEM + ending) == pytest.approx(number, abs=1e-12, nan_ok=True)
    seen = {label: row for label, row in expected["counts"].items() if row["tp"] + row["fp"] + row["fn"]}
    assert counts(result) == {label: [row[key] for key in ("tp", "fp", "fn")] for label, row in seen.items()}
    rows = {row["label"]: row for row in result.detail("by_label").rows()}
    for label in seen:
        values = [expected["per_class"][label][key] for key in ("pq", "sq", "rq")]
        assert [rows[label][key] for key in ("pq", "sq", "rq")] == pytest.approx(values, abs=1e-12)


def test_options_decide_where_engines_disagree():
    assert golden_result("pq_09_stuff_in_two_segments", stuff="merged").score == 1
    assert counts(golden_result("pq_05_two_crowds", crowds="all")) == {"10": [1, 0, 0]}
    hand = golden("pq_15_area_contradicts")["hand"]["by_pixels"]["person"]["pq"]
    assert golden_result("pq_15_area_contradicts").value(f"{STEM}_things") == hand
    by_json = golden_result("pq_15_area_contradicts", area="json").score
    assert by_json == pytest.approx(golden("pq_15_area_contradicts")["expected"][API]["All"]["pq"])
    assert golden_result("pq_16_no_area").value(f"{STEM}_things") == hand
    with pytest.raises(InputError, match=r"the true segment 1 has no area; add it, or set area='pixels'"):
        golden_result("pq_16_no_area", area="json")


def test_the_last_crowd_of_a_label_excuses_predictions():
    rows = [{"id": key, "label": "cat", "iscrowd": 1} for key in (5, 3)]
    truth = {"segmentation": [[5, 5, 3, 3]], "segments_info": rows}
    for place, wrong in (([[1, 1, 0, 0]], {"cat": [0, 1, 0]}), ([[0, 0, 1, 1]], {})):
        found = {"segmentation": place, "segments_info": [{"id": 1, "label": "cat"}]}
        assert counts(run([truth], [found])) == wrong
        assert counts(run([truth], [found], crowds="all")) == {}


@pytest.mark.parametrize(
    ("name", "message"),
    [("pq_11_gt_id_not_in_json", "pixels have the id 99,"), ("pq_12a_error", "pixels have the id 6,")],
)
def test_ids_that_are_not_listed_are_refused(name, message):
    with pytest.raises(InputError, match=rf"^ground_truths\[0\] against its prediction: {message}"):
        golden_result(name)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("stuff", "crowds"), [("segments", "last"), ("merged", "all")])
def test_random_maps_equal_sets_of_pixels(seed, stuff, crowds):
    truths, found = random_images(seed)
    sides = [list(map(merged, side)) if stuff == "merged" else side for side in (truths, found)]
    images = [plain_counts(*pair, crowds) for pair in zip(*sides, strict=True)]
    result = run(truths, found, stuff=stuff, crowds=crowds)
    for name, values in plain_means(images).items():
        assert by_kind(result)[name] == pytest.approx(values, nan_ok=True)
    assert run(truths, found, stuff=stuff, crowds=crowds, area="json").score == result.score
    for image, score in zip(images, result.item_scores(), strict=True):
        assert score == pytest.approx(plain_means([image])["all"][0], nan_ok=True)
    weights = [2, 0, 1, 0, 1]
    repeated = [image for image, times in zip(images, weights, strict=True) for _ in range(times)]
    assert result.value(weights=weights) == pytest.approx(plain_means(repeated)["all"][0], nan_ok=True)


def test_shards_missing_and_empty_images():
    truths, found = random_images(9)
    whole = run(truths, found)
    parts = [run(truths[part], found[part]) for part in (slice(2), slice(2, None))]
    assert MetricResult.concatenate(parts).score == whole.score
    gap = run([*truths, None], [*found, found[0]])
    assert (gap.score, gap.reasons) == (whole.score, {5: "no entry in ground_truths"})
    empty = {"segmentation": np.zeros((2, 2), int), "segments_info": []}
    nothing = run([*truths, empty], [*found, empty])
    assert (nothing.score, list(nothing.reasons)) == (whole.score, [5])
    assert np.isnan(run([], []).score)
    no_pixels = PanopticMap.of(np.zeros((0, 4), int), {})
    assert np.isnan(run([no_pixels], [no_pixels]).score)
    assert no_pixels.ids.shape == (0, 4)
    missed = run(truths, [{"segments_info": []}] * len(truths))
    assert missed.score == 0
    rows = [row for truth in truths for row in truth["segments_info"]]
    assert any(row["iscrowd"] for row in rows)  # which nothing misses
    required = sum(not row["iscrowd"] for row in rows)
    assert sum(row[2] for row in counts(missed).values()) == required


def test_examples_are_the_images_with_the_most_errors():
    truths, found = random_images(4, images=12)
    result = run(truths, found, max_examples=2)
    images = [plain_counts(*pair) for pair in zip(truths, found, strict=True)]
    weights = [float(image % 3 > 0) for image in range(12)]
    rows = list(result.detail("examples", weights).rows())
    for label in LABELS:
        errors = sorted((-sum(image[label][2:]), image[label][1], at) for at, image in enumerate(images))
        worst = [at for few, _, at in errors if few and weights[at]][:2]
        named = [row for row in rows if row["label"] == label]
        assert [row["item"] for row in named] == worst
        assert [[row["tp"], row["fp"], row["fn"]] for row in named] == [images[at][label][1:] for at in worst]
    assert rows


def test_the_interval_is_that_of_a_mean_over_labels():
    truths, found = random_images(3, images=30)
    result = run(truths, found)
    estimate = interval(result)
    assert 0 < estimate.low < result.score < estimate.high < 1


class Tensor:
    """What is used of a tensor of torch."""

    dtype = "torch.int32"

    def __init__(self, values):
        self.values = np.asarray(values)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


def test_outputs_of_transformers_are_read():
    """In maps of instances 0 is the first object and -1 nothing, in panoptic maps 0 is nothing."""
    instances = np.array([[-1, 0, 0], [-1, 1, 1]], np.float32)
    infos = [{"id": 0, "label_id": 17, "was_fused": False}, {"id": 1, "label_id": 2}]
    panoptic = {
        "segmentation": Tensor(instances + 1),
        "segments_info": [{**row, "id": row["id"] + 1} for row in infos],
    }
    for entry in ({"segmentation": Tensor(instances), "segments_info": infos}, panoptic):
        result = run([entry], [panoptic], things=[17])
        assert counts(result) == {"17": [1, 0, 0], "2": [1, 0, 0]}
        assert [result.value(STEM + ending) for ending in ("_things", "_stuff")] == [1, 1]
    named = PanopticMap.of(instances, infos, names={17: "cat", "2": "dog"})
    assert [str(segment.label) for segment in named.segments.values()] == ["cat", "dog"]
    assert named.ids.tolist() == instances.tolist()
    assert run([named.to_dict()], [named]).score == 1
    assert np.isnan(run([named], [named]).value(f"{STEM}_things"))  # nothing says what is a thing
    with pytest.raises(InputError, match="pixels have the id 0, which segments_info lacks"):
        PanopticMap.of(instances, infos[1:])


def test_joined_segments_have_the_area_of_both():
    truth = PanopticMap.of(
        [[1, 2, 3, 4]],
        [
            {"id": key, "label": "sky", "isthing": 0, "iscrowd": int(key == 3), "area": key * 10}
            for key in (1, 2, 3, 4)
        ],
    )
    joined = truth.merged(frozenset({truth.segments[1].label}))
    assert {key: segment.area for key, segment in joined.segments.items()} == {1: 70, 3: 30}
    assert joined.ids.tolist() == [[1, 1, 3, 1]]


MAP = [[1, 1], [2, 0]]
INFOS = [{"id": 1, "label": "cat", "isthing": 1}, {"id": 2, "label": "sky", "isthing": 0}]


@pytest.mark.parametrize(
    ("ids", "infos", "message"),
    [
        ([[1, 1], [1, 0]], INFOS, "no pixel has the id 2 of segments_info; remove the segment there"),
        ([[1, 3], [2, 0]], INFOS, "pixels have the id 3, which segments_info lacks; list it there, or give"),
        ([[1, -2], [2, -1]], INFOS, "pixels have the id -2, .*without a segment the id -1"),
        ([1, 2], INFOS, r"segmentation must be height x width whole numbers, not int64 \(2,\)"),
        ([[1.5, 1], [2, 0]], INFOS, "segmentation holds numbers that are not whole"),
        ([[1, 2], [1]], INFOS, "segmentation must be height x width whole numbers"),
        (None, INFOS, "there are segments and no segmentation; add the id of each pixel"),
        ([[1, 1, 2]], INFOS, r"the true map is \(2, 2\), the predicted one \(1, 3\) .* sizes must agree"),
        (MAP, "cat", "segments are str; give a list of dicts with id and label"),
        (MAP, ["cat"], r"segments_info\[0\] is str; give a dict with id and label"),
        (
            MAP,
            [{"id": -1, "label": "cat"}],
            r"segments_info\[0\]: id is -1; give a whole number of at least 0",
        ),
        (MAP, [INFOS[0], INFOS[0]], r"segments_info\[1\]: another segment has the id 1"),
        (MAP, [{"id": 1}], r"segments_info\[0\] has no label; give it one of label, label_id, category_id"),
        (MAP, [{"id": 1, "label": 0.5}], r"segments_info\[0\]: label: 0.5 is not a label"),
        (MAP, [{**INFOS[0], "isthing": 2}], r"segments_info\[0\]: isthing is 2; give 0 or 1"),
        (MAP, [{**INFOS[0], "area": -1}], r"segments_info\[0\]: area is -1; give a number of at least 0"),
        (MAP, [INFOS[0], {"id": 2, "label": "tree"}], "no segment of 'tree' says whether it is a thing"),
        (
            MAP,
            [INFOS[0], {**INFOS[1], "label": "cat"}],
            "'cat' is a thing in one segment and stuff in another",
        ),
    ],
)
def test_what_cannot_be_read_is_named(ids, infos, message):
    predicted = {"segments_info": infos} if ids is None else {"segmentation": ids, "segments_info": infos}
    with pytest.raises(InputError, match=message):
        run([{"segmentation": MAP, "segments_info": INFOS}], [predicted])


def test_other_entries_are_refused():
    with pytest.raises(
        InputError, match=r"^predictions\[0\]: list is not a panoptic map; give a PanopticMap"
    ):
        run([{"segmentation": MAP, "segments_info": INFOS}], [MAP])
    truth = PanopticMap.of(MAP, {1: "cat", 2: "sky"})
    with pytest.raises(InputError, match="stuff='merged' needs to know what is stuff; set things"):
        run([truth], [truth], stuff="merged")
    assert run([truth], [truth], stuff="merged", things=THINGS).score == 1


def test_runs_of_huge_maps_have_long_numbers(monkeypatch):
    most = np.iinfo(np.int32).max
    assert [panoptic_map._position_type(pixels) for pixels in (most, most + 1)] == [np.int32, np.int64]
    truths, found = golden_inputs(golden(EQUAL[0])).values()
    expected = run(truths, found)
    monkeypatch.setattr(panoptic_map, "_position_type", lambda _: np.int64)
    assert PanopticMap.of([[7, 7, 2]], {7: "a", 2: "b"}).starts.dtype == np.int64
    assert run(truths, found).value() == expected.value()
