"""Pixels by label: the golden cases, scikit-learn on random maps, and what is refused."""

import numpy as np
import pytest
from PIL import Image
from sklearn.metrics import confusion_matrix, jaccard_score, precision_recall_fscore_support

from thresher.components.segmentation import SegmentationMeanIouEvaluator
from thresher.datasets.masks import image_sizes
from thresher.errors import InputError
from thresher.results import MetricResult
from vision_cases import by_label, golden, pixel_inputs

API, LITE = "valor_api_0.33.19", "valor_lite_0.39.0"
CASES = ["ss_01_basic", "ss_02_label_edges"]
every_case = pytest.mark.parametrize("name", CASES)


def golden_result(name, **options):
    return SegmentationMeanIouEvaluator(**options).run(**pixel_inputs(golden(name)))["result"]


def random_maps(seed, images=6, labels=5):
    generator = np.random.default_rng(seed)
    truths = [generator.integers(0, labels, (9, 13)) for _ in range(images)]
    found = [
        np.where(generator.random(each.shape) < 0.6, each, generator.integers(0, labels, each.shape))
        for each in truths
    ]
    return truths, found


@every_case
def test_quantities_by_label_equal_the_service_of_valor(name):
    expected = golden(name)["expected"][API]
    result = golden_result(name)
    table = result.detail("by_label")
    for quantity in ("IOU", "Precision", "Recall", "F1"):
        found = {key: np.nan_to_num(each) for key, each in by_label(table, quantity.lower()).items()}
        assert found == pytest.approx(expected[quantity])
    assert result.score == pytest.approx(expected["mIOU"]["class"])
    assert result.detail("by_key").columns["mean_iou"] == pytest.approx([expected["mIOU"]["class"]])


@every_case
def test_over_all_labels_the_mean_is_that_of_valor_lite(name):
    expected = golden(name)["expected"][LITE]
    result = golden_result(name, averaged_over="all")
    assert result.score == pytest.approx(expected["mIOU"])
    assert by_label(result.detail("by_label"), "iou") == pytest.approx(expected["IOU"])
    assert result.value("segmentation_mean_iou_accuracy") == pytest.approx(expected["Accuracy"])


def test_hand_values():
    hand = golden("ss_02_label_edges")["hand"]
    assert golden_result("ss_02_label_edges").score == pytest.approx(hand["mIOU_gt_labels"])
    assert golden_result("ss_02_label_edges", averaged_over="all").score == pytest.approx(
        hand["mIOU_all_labels"]
    )


@pytest.mark.parametrize("seed", range(4))
def test_label_maps_equal_scikit_learn(seed):
    truths, found = random_maps(seed)
    result = SegmentationMeanIouEvaluator(averaged_over="all", confusion=True).run(
        ground_truths=truths, predictions=found
    )["result"]
    weights = np.random.default_rng(seed).integers(0, 3, len(truths))
    for each in (np.ones(len(truths), int), weights):
        flat = [
            np.concatenate(
                [np.repeat(map_.ravel()[None], n, 0).ravel() for map_, n in zip(side, each, strict=True)]
            )
            for side in (truths, found)
        ]
        assert result.value(weights=each) == pytest.approx(jaccard_score(*flat, average="macro"))
        rows = precision_recall_fscore_support(*flat, average="macro", zero_division=0.0)
        assert [
            result.value(f"segmentation_mean_iou_{name}", each) for name in ("precision", "recall", "f1")
        ] == pytest.approx(rows[:3])
        assert result.value("segmentation_mean_iou_accuracy", each) == pytest.approx(
            (flat[0] == flat[1]).mean()
        )
        assert result.value("segmentation_mean_iou_frequency_weighted", each) == pytest.approx(
            jaccard_score(*flat, average="weighted")
        )
        matrix = confusion_matrix(*flat)
        for row in result.detail("confusion_matrix", each).rows():
            assert row["count"] == matrix[int(row["truth"]), int(row["predicted"])]
    assert result.item_scores()[0] == pytest.approx(
        jaccard_score(truths[0].ravel(), found[0].ravel(), average="macro")
    )


def test_masks_say_the_same_as_a_map():
    truths, found = random_maps(7)
    names = ["none", "a", "b", "c", "d"]
    sides = [
        [{"labels": names[1:], "geometries": [_runs(each == code) for code in range(1, 5)]} for each in side]
        for side in (truths, found)
    ]
    masks = SegmentationMeanIouEvaluator(confusion=True).run(ground_truths=sides[0], predictions=sides[1])[
        "result"
    ]
    maps = SegmentationMeanIouEvaluator(labels=names, background=0, confusion=True).run(
        ground_truths=truths, predictions=found
    )["result"]
    for measure in maps.measures:
        assert masks.value(measure.name) == pytest.approx(maps.value(measure.name))
    for detail in ("by_label", "confusion_matrix"):
        assert masks.detail(detail).to_dict() == maps.detail(detail).to_dict()


def _runs(mask):
    flat = np.concatenate([[False], mask.ravel(order="F")])
    ends = np.flatnonzero(flat[1:] != flat[:-1])
    return {"size": list(mask.shape), "counts": np.diff([0, *ends, mask.size]).tolist()}


def test_polygons_are_drawn():
    square = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4]]]}
    half = {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 4], [0, 4]]]}
    truth = {"labels": ["road"], "geometries": [square], "size": [6, 6]}
    prediction = {"labels": ["road"], "geometries": [half]}
    assert SegmentationMeanIouEvaluator().run(ground_truths=[truth], predictions=[prediction])["score"] == 0.5


def test_ignored_pixels_do_not_count():
    truth = np.array([[1, 1, 255, 255]])
    found = np.array([[1, 2, 1, 255]])
    result = SegmentationMeanIouEvaluator(averaged_over="all", ignore=255).run(
        ground_truths=[truth], predictions=[found]
    )["result"]
    assert by_label(result.detail("by_label"), "iou") == {":1": 0.5, ":2": 0.0}
    assert result.value("segmentation_mean_iou_accuracy") == 0.5
    negative = SegmentationMeanIouEvaluator(averaged_over="all", ignore=-1).run(
        ground_truths=[[[1, 1, -1, -1]]], predictions=[[[1, 2, 1, -1]]]
    )["result"]
    assert negative.score == result.score


def test_png_files(tmp_path):
    truths, predictions = random_maps(2)
    for side, maps in (("truth", truths), ("predicted", predictions)):
        for at, each in enumerate(maps):
            Image.fromarray(each.astype(np.uint8)).save(tmp_path / f"{side}{at}.png")
    files = [[tmp_path / f"{side}{at}.png" for at in range(len(truths))] for side in ("truth", "predicted")]
    score = SegmentationMeanIouEvaluator().run(
        ground_truths=files[0], predictions=[str(path) for path in files[1]]
    )["score"]
    assert score == SegmentationMeanIouEvaluator().run(ground_truths=truths, predictions=predictions)["score"]


def test_values_far_apart_are_counted_too():
    truth, prediction = np.array([[0, 70000, 70000]]), np.array([[0, 70000, 3]])
    result = SegmentationMeanIouEvaluator().run(ground_truths=[truth], predictions=[prediction])["result"]
    assert by_label(result.detail("by_label"), "iou") == {":0": 1.0, ":70000": 0.5}


def test_shards_and_missing_images():
    truths, found = random_maps(5)
    evaluator = SegmentationMeanIouEvaluator(confusion=True)
    whole = evaluator.run(ground_truths=truths, predictions=found)["result"]
    parts = [
        evaluator.run(ground_truths=truths[part], predictions=found[part])["result"]
        for part in (slice(2), slice(2, None))
    ]
    assert MetricResult.concatenate(parts).score == whole.score
    holed = evaluator.run(ground_truths=[*truths, None], predictions=[*found, found[0]])["result"]
    assert holed.score == whole.score
    assert holed.reasons == {len(truths): "no entry in ground_truths"}
    assert np.isnan(evaluator.run(ground_truths=[], predictions=[])["score"])


@pytest.mark.parametrize(
    ("truth", "prediction", "options", "message"),
    [
        (
            [[1, 2]],
            [[1]],
            {},
            r"the true map is \(1, 2\), the predicted one \(1, 1\); sizes must agree",
        ),
        (
            [1, 2],
            [1, 2],
            {},
            r"a label map is height x width integers, not int64 \(2,\)",
        ),
        ([[0.5]], [[0.5]], {}, "not float64"),
        (
            [[1, 2], [1]],
            [[1, 2], [1, 2]],
            {},
            r"a label map has rows of different lengths",
        ),
        (
            {"labels": [], "size": "x"},
            {"labels": [], "size": [2, 2]},
            {},
            r"the size of a mask is \[height, width\], not 'x'",
        ),
        (
            {"labels": [], "size": [-2, 2]},
            {"labels": [], "size": [-2, 2]},
            {},
            r"the size of a mask is \[height, width\], not \[-2, 2\]",
        ),
        (
            [[-1]],
            [[1]],
            {},
            r"a label map holds a negative number",
        ),
        (
            [[7]],
            [[1]],
            {"labels": ["a", "b"]},
            r"value 7 has no label; add it to labels",
        ),
        (
            "nowhere.png",
            [[1]],
            {},
            r"nowhere.png cannot be read as an image",
        ),
        (3, [[1]], {}, r"int is not a label map; give an array"),
        (
            [[1]],
            {"labels": ["a"], "boxes": [[0, 0, 1, 1]]},
            {},
            r"masks are rasters or polygons",
        ),
        (
            [[1]],
            {"labels": [], "boxes": []},
            {},
            r"one side is a label map and the other masks",
        ),
        (
            {"labels": ["a"], "geometries": [{"size": [1, 2], "counts": [0, 2]}]},
            {"labels": ["a"], "geometries": [{"size": [2, 1], "counts": [0, 2]}]},
            {},
            r"masks of one image have different sizes",
        ),
        ({"labels": [], "boxes": []}, {"labels": [], "boxes": []}, {}, "the size of the image is unknown"),
    ],
)
def test_what_cannot_be_compared_is_named(truth, prediction, options, message):
    with pytest.raises(InputError, match=rf"^ground_truths\[0\] against its prediction: .*{message}"):
        SegmentationMeanIouEvaluator(**options).run(ground_truths=[truth], predictions=[prediction])


def test_colours_are_refused(tmp_path):
    Image.new("RGB", (2, 2)).save(tmp_path / "colour.png")
    with pytest.raises(InputError, match=r"colour.png has colours \(RGB\), not one label value per pixel"):
        SegmentationMeanIouEvaluator().run(ground_truths=[tmp_path / "colour.png"], predictions=[[[1]]])
    with pytest.raises(InputError, match="averaged_over='some' is unknown"):
        SegmentationMeanIouEvaluator(averaged_over="some")


def test_truth_values_are_a_label_map_of_two_labels():
    truth, prediction = np.array([[True, False, False]]), np.array([[True, True, False]])
    result = SegmentationMeanIouEvaluator().run([truth], [prediction])["result"]
    assert result.score == (1 / 2 + 1 / 2) / 2
    assert result.detail("by_label").columns["iou"] == [1 / 2, 1 / 2]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_images_in_threads_keep_their_order_and_the_first_error(monkeypatch, threads):
    monkeypatch.setenv("THRESHER_THREADS", threads)
    rng = np.random.default_rng(3)
    maps = [rng.integers(0, 1 + image, (40, 30)) for image in range(9)]
    result = SegmentationMeanIouEvaluator(confusion=True).run(
        ground_truths=maps, predictions=[*maps[:8], np.zeros((40, 30), int)]
    )
    own = float((maps[8] == 0).sum() / maps[8].size / len(np.unique(maps[8])))
    assert result["individual_scores"] == pytest.approx([1.0] * 8 + [own])
    wrong = [*maps[:4], np.zeros((2, 2), int), *maps[5:8], None]
    wrong[6] = np.zeros((3, 3), int)
    with pytest.raises(InputError, match=r"ground_truths\[4\] against its prediction: .* \(40, 30\)"):
        SegmentationMeanIouEvaluator().run(ground_truths=maps, predictions=wrong)


def test_postscript_under_another_name_is_given_to_no_program(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "PIL.EpsImagePlugin.Ghostscript", lambda *_, **__: pytest.fail("a program would start")
    )
    head = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 4 4\n%%EndComments\n\n"
    (tmp_path / "a.png").write_text(f"{head}%ImageData: 4 4 8 1 0 1 1 x\nshowpage\n")
    with pytest.raises(InputError, match=r"a\.png cannot be read as an image"):
        SegmentationMeanIouEvaluator().run(ground_truths=[str(tmp_path / "a.png")], predictions=[[[1]]])
    with pytest.raises(InputError, match=r"a\.png cannot be read as an image"):
        image_sizes(tmp_path)
