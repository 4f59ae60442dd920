"""LVIS's numbers: golden cases, random data with frozen numbers of lvis, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from coco_files import columns, files
from thresher import build
from thresher.components.detection import (
    DetectionCocoEvaluator,
    DetectionColumns,
    DetectionF1Evaluator,
    DetectionLvisEvaluator,
    DetectionMatcher,
    Detections,
)
from thresher.datasets.coco import read_coco
from thresher.errors import DataWarning, InputError
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.pipelines import object_arrays

GOLDEN = Path(__file__).parents[2] / "golden" / "vision2"
CASES = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(GOLDEN.glob("lv_0*.json"))
}
RANDOM = json.loads((GOLDEN / "lv_20_lvis_random.json").read_text(encoding="utf-8"))["cases"]
NAMES = (
    "AP",
    "AP50",
    "AP75",
    "APs",
    "APm",
    "APl",
    "APr",
    "APc",
    "APf",
    "AR@300",
    "ARs@300",
    "ARm@300",
    "ARl@300",
)
FOUND = {"labels": ["cat", "dog"], "boxes": [[0, 0, 10, 10], [20, 20, 30, 30]], "scores": [0.5, 0.9]}


def matched(folder, truth, results, kind="bbox"):
    read = columns(folder, truth, results, "boxes" if kind == "bbox" else "masks")
    return DetectionMatcher(compare_as="box" if kind == "bbox" else None).run(**read)["matches"]


def thirteen(matches, **options):
    result = DetectionLvisEvaluator(**options).run(matches=matches)["result"]
    return [result.value(measure.name) for measure in result.measures]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
def test_golden_cases(tmp_path, name):
    case = CASES[name]
    expected = case["expected"]["lvis_0.5.3"]
    if name == "lv_08_missing_lists":  # lvis raises KeyError; missing lists are read as empty, with a warning
        expected = case["expected"]["hotcoco_1.3.0"]
    known = [np.nan if expected[key] == -1 else expected[key] for key in NAMES]
    matches = matched(tmp_path, case["gt"], case["dt"])
    assert thirteen(matches) == pytest.approx(known, abs=1e-12, nan_ok=True)
    if "AP50" in case["hand"]:
        assert thirteen(matches)[1] == pytest.approx(case["hand"]["AP50"])


@pytest.mark.parametrize("case", RANDOM, ids=lambda case: str(case["seed"]))
def test_the_numbers_are_those_of_lvis(tmp_path, case):
    most = case["max_detections"]
    numbers = thirteen(
        matched(tmp_path, case["gt"], case["dt"], case["kind"]), max_detections=most if most > 0 else None
    )
    known = [np.nan if number is None else number for number in case["expected"]]
    assert numbers == pytest.approx(known, abs=1e-12, nan_ok=True)
    assert np.nanmax(numbers) > 0


def image(**federated):
    return {"labels": ["cat"], "boxes": [[0, 0, 10, 10]], "federated": federated}


def of(found, *truths):
    return DetectionMatcher().run(predictions=[found] * len(truths), ground_truths=truths)["matches"]


@pytest.mark.parametrize(
    ("federated", "precision"),
    [
        ({}, 1.0),
        ({"absent": ["dog"]}, 1.0),
        ({"absent": ["cat"]}, 0.5),
        ({"absent": ["cat"], "not_exhaustive": ["cat"]}, 1.0),
        ({"not_exhaustive": ["cat"]}, 1.0),
    ],
)
def test_what_counts_depends_on_what_was_checked(federated, precision):
    """A cat is predicted in the second image, where none is annotated."""
    false = {"labels": ["cat"], "boxes": [[50, 50, 60, 60]], "scores": [0.9]}
    truth = {"labels": [], "boxes": [], "federated": federated}
    matches = DetectionMatcher().run(predictions=[FOUND, false], ground_truths=[image(), truth])["matches"]
    assert DetectionLvisEvaluator().run(matches=matches)["score"] == pytest.approx(precision)


def test_groups_ignored_objects_and_the_cap():
    truth = image(frequency=["rare"], absent=["dog"])
    names = DetectionLvisEvaluator().run(matches=of(FOUND, truth))["result"]
    assert names.value("detection_lvis_map_rare") == 1.0
    assert np.isnan(names.value("detection_lvis_map_common"))
    assert DetectionLvisEvaluator(max_detections=1).run(matches=of(FOUND, truth))["score"] == 0.0
    assert np.isnan(DetectionLvisEvaluator().run(matches=of(FOUND, image(ignored=[1])))["score"])


def test_a_label_has_one_frequency():
    matches = of(FOUND, image(frequency=["rare"]), image(frequency=["common"]))
    with pytest.raises(
        InputError, match=r"ground_truths\[0\]: the frequency of cat differs from that of other"
    ):
        DetectionLvisEvaluator().run(matches=matches)


def test_other_metrics_refuse_lvis():
    matches = of(FOUND, image(frequency=["rare"]))
    for metric in (DetectionCocoEvaluator, DetectionF1Evaluator):
        with pytest.raises(
            InputError, match=r"ground_truths are of LVIS.*recipe lvis_detection.*protocol='coco'"
        ):
            metric().run(matches=matches)
    with pytest.raises(InputError, match="ground_truths are not of LVIS"):
        DetectionLvisEvaluator().run(matches=of(FOUND, {"labels": ["cat"], "boxes": [[0, 0, 1, 1]]}))
    with pytest.raises(InputError, match="class_agnostic does not fit LVIS"):
        DetectionMatcher(class_agnostic=True).run(predictions=[FOUND], ground_truths=[image()])


@pytest.mark.parametrize(
    ("federated", "message"),
    [
        ({"negative": []}, "federated is .*give a dict of absent, not_exhaustive, frequency, ignored"),
        ({"frequency": ["often"]}, "frequency is 'often'; give rare, common, frequent"),
        ({"frequency": []}, None),
        ({"frequency": ["rare", None]}, "frequency is given for 2 of 1 object"),
        ({"ignored": [1, 0]}, "ignored has 2 entries for 1 object"),
        ({"absent": [1.5]}, "1.5 is not a label"),
    ],
)
def test_malformed_lists(federated, message):
    if message is None:
        Detections.read(image(**federated))
        return
    with pytest.raises(InputError, match=message):
        Detections.read(image(**federated))


def test_lists_survive_plain_data_columns_and_storage():
    rows = [
        image(absent=["dog", {"key": "size", "value": "big"}], frequency=["common"]),
        {"labels": ["ape", "cat"], "boxes": [[0, 0, 1, 1]] * 2, "federated": {"ignored": [0, 1]}},
        image(not_exhaustive=["cat", "ape"]),
    ]
    whole = DetectionColumns.of(rows)
    entries = [entry.to_dict() for entry in whole]
    assert entries[0]["federated"]["absent"] == ["dog", {"key": "size", "value": "big"}]
    again = DetectionColumns.of([Detections.read(json.loads(json.dumps(entry))) for entry in entries])
    column = DetectionsColumn(whole)
    assert DetectionsColumn(again) == column
    assert DetectionsColumn(DetectionColumns.concatenate([whole[:1], whole[1:]])) == column
    assert DetectionsColumn(whole.take([2, 0])) == DetectionsColumn(DetectionColumns.of([rows[2], rows[0]]))
    assert DetectionsColumn(whole[1:]) != DetectionsColumn(DetectionColumns.of([rows[1], image()]))
    stored = object_arrays.decode(*object_arrays.encode(column))
    assert stored == column
    assert [entry.to_dict() for entry in stored] == entries
    plain = DetectionsColumn(
        DetectionColumns.of([{key: row[key] for key in ("labels", "boxes")} for row in rows])
    )
    assert plain != column


def test_the_reader_decides_by_the_file_and_says_so(tmp_path):
    case = CASES["lv_01_federated"]
    paths = files(tmp_path, case["gt"], case["dt"])
    for geometries in ("boxes", "masks"):
        assert read_coco(paths[0], geometries=geometries).notes[0].startswith("an LVIS file: predictions of")
    as_coco = read_coco(*paths, protocol="coco")
    assert as_coco.notes[0].startswith("an LVIS file, read by COCO's rules")
    assert DetectionColumns.of(as_coco.column("ground_truths")).federated is None
    truth = {**case["gt"], "images": [{"id": 1}, {"id": 2}, {"id": 3}]}
    truth["categories"] = [{"id": at, "name": str(at)} for at in (1, 2, 3)]
    plain = files(tmp_path, truth, case["dt"])
    assert read_coco(*plain).notes == ()
    with pytest.raises(InputError, match=r"truth.json is not an LVIS file: no image has neg_category_ids or"):
        read_coco(*plain, protocol="lvis")
    with pytest.raises(InputError, match="protocol='voc' is unknown"):
        read_coco(*plain, protocol="voc")


def test_missing_lists_and_frequencies_are_reported(tmp_path):
    case = CASES["lv_08_missing_lists"]
    with pytest.warns(
        DataWarning, match="1 of 2 images lack neg_category_ids or not_exhaustive_category_ids"
    ):
        read_coco(*files(tmp_path, case["gt"], case["dt"]))
    categories = [{"id": row["id"], "name": row["name"]} for row in case["gt"]["categories"][1:]]
    truth = {**case["gt"], "categories": [case["gt"]["categories"][0], *categories]}
    truth["images"] = [
        row | {"neg_category_ids": [], "not_exhaustive_category_ids": []} for row in truth["images"]
    ]
    with pytest.warns(DataWarning, match="2 of 3 categories have no frequency r, c or f"):
        read_coco(*files(tmp_path, truth, case["dt"]))


@pytest.mark.parametrize(
    ("part", "changes", "message"),
    [
        ("images", {"neg_category_ids": 3}, r"images\[1\] \(id 2\): neg_category_ids is 3; give a list"),
        ("images", {"neg_category_ids": [99]}, r"neg_category_ids has 99, which is none of the categories"),
        ("images", {"not_exhaustive_category_ids": [[1]]}, r"not_exhaustive_category_ids has \[1\], which"),
        ("annotations", {"ignore": 2}, r"annotations\[1\] \(id 2\): ignore is 2; give 0 or 1"),
    ],
)
def test_malformed_files(tmp_path, part, changes, message):
    truth = json.loads(json.dumps(CASES["lv_01_federated"]["gt"]))
    truth[part][1] |= changes
    with pytest.raises(InputError, match=message):
        read_coco(*files(tmp_path, truth, []))


def test_a_metric_by_name():
    pipeline = build(["detection_lvis"])
    results = pipeline.run({"ground_truths": [image()], "predictions": [FOUND]})["collector"]["results"]
    assert results.metrics["detection_lvis_map"].value == 1.0
