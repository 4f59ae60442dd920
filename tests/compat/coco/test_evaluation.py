"""Every attribute equals that of pycocotools, on random data and with changed parameters."""

import contextlib
import io
import json
import os
import pickle

import numpy as np
import pytest

from coco_sets import data_set, with_keypoints, with_masks
from coco_sides import OURS, THEIRS, assert_same, assert_same_evaluations, evaluated
from thresher.compat.coco import COCO, COCOeval
from thresher.errors import DataWarning
from thresher.native.library import library

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "4")))
pytestmark = pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")


def altered(seed):
    """Change the parameters in place."""
    rng = np.random.default_rng(seed)

    def change(params):
        params.useCats = int(rng.random() < 0.6)
        params.imgIds = list(rng.choice(params.imgIds, 17))  # unsorted, some twice
        params.catIds = list(rng.permutation(params.catIds)[: 1 + len(params.catIds) // 2])
        params.maxDets[:] = [100, 3, 1] if rng.random() < 0.5 else [2, 100, 5]
        params.iouThrs = [np.array([0.5, 0.75, 0.3, 0.0, 1.0]), np.linspace(0.01, 1, 45)][seed % 2]
        params.recThrs = [np.linspace(0, 1, 11), np.array([0.9, 0.1, 0.5])][seed % 2]
        params.areaRng[1] = [100, 900.0]

    return change


def odd(truth, results, seed):
    """More than 100 results of an image and category, scores outside of 0 to 1, annotation id 0."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        truth["annotations"] = [row | {"id": at} for at, row in enumerate(truth["annotations"])]
        results = [row | {"score": row["score"] * 4 - 2} for row in results]
    more = [{"score": float(rng.random()), "bbox": rng.integers(1, 60, 4).tolist()} for _ in range(120)]
    return truth, results + [results[0] | row for row in more]


@pytest.mark.parametrize("kind", ["bbox", "segm"])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_attribute_is_that_of_pycocotools(seed, kind):
    truth, results = odd(*data_set(seed), seed)
    if kind == "segm":
        truth, results = with_masks(truth, results, seed)
    for change in (None, altered):
        runs = [evaluated(side, truth, results, kind, change and change(seed)) for side in (OURS, THEIRS)]
        assert_same_evaluations(runs[0][0], runs[1][0])
        assert runs[0][1] == runs[1][1], "printed lines"


@pytest.mark.parametrize("seed", SEEDS)
def test_keypoints(seed):
    truth, results = with_keypoints(*data_set(seed), seed)
    ours, theirs = (evaluated(side, truth, results, "keypoints") for side in (OURS, THEIRS))
    assert_same(ours[0].stats, theirs[0].stats)
    assert ours[1] == theirs[1]
    for name in ("precision", "recall", "scores"):
        assert_same(ours[0].eval[name], theirs[0].eval[name], name)
    assert_same(ours[0].evalImgs, theirs[0].evalImgs, "evalImgs")
    assert_same(vars(ours[0].params), vars(theirs[0].params), "params")
    assert [*ours[0].ious] == [*theirs[0].ious]
    for key, table in theirs[0].ious.items():
        assert type(ours[0].ious[key]) is type(table)
        np.testing.assert_allclose(ours[0].ious[key], table, rtol=0, atol=1e-14)


@pytest.mark.parametrize("change", [None, altered(0)])
def test_entries_that_were_read_or_assigned_accumulate_to_the_same(change):
    evaluation, _ = evaluated(OURS, *data_set(2), change=change)
    before = evaluation.eval
    evaluation.evalImgs = pickle.loads(pickle.dumps(evaluation.evalImgs))  # noqa: S301 (made here)
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.accumulate()
    for name in ("precision", "recall", "scores"):
        assert_same(evaluation.eval[name], before[name], name)


def test_parameters_of_accumulate_select_among_what_was_evaluated():
    def other(params):
        params.maxDets, params.areaRng, params.recThrs = [10, 100], params.areaRng[:2], np.array([0.5])

    found = []
    for side in (OURS, THEIRS):
        evaluation, _ = evaluated(side, *data_set(5))
        other(evaluation.params)
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation.accumulate()
        found.append(evaluation.eval)
    for name in ("counts", "precision", "recall", "scores"):
        assert_same(found[0][name], found[1][name], name)


def test_categories_taken_by_position_are_reported():
    found = []
    for side in (OURS, THEIRS):
        evaluation, _ = evaluated(side, *data_set(5))
        evaluation.params.catIds = evaluation.params.catIds[2:4]
        with contextlib.redirect_stdout(io.StringIO()):
            if side is OURS:
                with pytest.warns(DataWarning, match="call evaluate\\(\\) again"):
                    evaluation.accumulate()
            else:
                evaluation.accumulate()
        found.append(evaluation.eval["precision"])
    assert_same(*found)


def test_files_are_read_as_columns_and_as_dicts_when_asked(tmp_path):
    truth, results = data_set(3)
    paths = [tmp_path / "truth.json", tmp_path / "results.json"]
    for path, content in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(content))
    theirs, _ = evaluated(THEIRS, truth, results)
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO(paths[0])
        found = known.loadRes(str(paths[1]))
        assert known._unread is not None
        assert found._unread is not None
        for _ in range(2):
            evaluation = COCOeval(known, found, "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
            assert_same_evaluations(evaluation, theirs)
            assert_same(known.dataset, truth)  # from here on dicts are evaluated
            assert found.anns[1]["area"] == results[0]["bbox"][2] * results[0]["bbox"][3]
            assert known._unread is found._unread is None
        for row in known.dataset["annotations"]:
            row["bbox"] = [0, 0, 1, 1]
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    assert evaluation.stats[0] < theirs.stats[0]


@pytest.mark.parametrize(
    "way", ["masks", "masks and boxes", "masks and some boxes", "other size", "no shape"]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_masks_of_files_are_read_as_columns(tmp_path, seed, way):
    boxes = data_set(seed)[1]
    truth, results = with_masks(*data_set(seed), seed)
    for at, row in enumerate(results):
        if way == "masks and boxes" or (way == "masks and some boxes" and at):
            row["bbox"] = boxes[at]["bbox"]
    if way == "other size":
        results[0]["segmentation"] = {"size": [4, 5], "counts": "d0"}
    if way == "no shape":
        results = [row | {"bbox": box["bbox"]} for row, box in zip(results, boxes, strict=True)]
        del results[0]["segmentation"]
    paths = [tmp_path / "truth.json", tmp_path / "results.json"]
    for path, content in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(content))
    theirs, _ = evaluated(THEIRS, truth, results, "segm")
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO(paths[0])
        found = known.loadRes(str(paths[1]))
        evaluation = COCOeval(known, found, "segm")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
        assert (found._unread is not None) == (library() is not None and way.startswith("masks"))
        assert_same_evaluations(evaluation, theirs)
        assert_same(known.dataset, truth)
        for mine, other in zip(found.dataset["annotations"], theirs.cocoDt.anns.values(), strict=True):
            assert_same(*({name: row[name] for name in ("id", "area", "iscrowd")} for row in (mine, other)))
            assert list(mine["bbox"]) == list(other["bbox"])


def test_arrays_of_results():
    truth, results = data_set(4)
    rows = [[row["image_id"], *row["bbox"], row["score"], row["category_id"]] for row in results]
    sides = []
    for classes in (OURS, THEIRS):
        with contextlib.redirect_stdout(io.StringIO()):
            known = classes[0]()
            known.dataset = json.loads(json.dumps(truth))
            known.createIndex()
            evaluation = classes[1](known, known.loadRes(np.array(rows)), "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        sides.append(evaluation.stats)
    assert_same(*sides)


@pytest.mark.parametrize("place", ["subclass", "object", "class"])
def test_replaced_overlaps_have_no_influence_and_a_warning(monkeypatch, place):
    truth, rows = data_set(5)
    known = COCO()
    known.dataset = truth
    known.createIndex()
    evaluation = COCOeval(known, known.loadRes(rows), "bbox")
    if place == "subclass":
        own = type("Own", (COCOeval,), {"computeIoU": lambda *_: [], "evaluateImg": lambda *_: None})
        evaluation = own(known, known.loadRes(rows), "bbox")
    elif place == "object":
        evaluation.computeIoU = lambda *_: []
        evaluation.evaluateImg = lambda *_: None
    else:
        monkeypatch.setattr(COCOeval, "computeIoU", lambda *_: [])
        monkeypatch.setattr(COCOeval, "evaluateImg", lambda *_: None)
    with pytest.warns(DataWarning, match="computeIoU is replaced, which has no influence here") as caught:
        evaluation.evaluate()
    assert (len(caught), set(evaluation.evalImgs)) == (1, {None})


def test_a_subclass_may_replace_the_entry_of_an_image():
    class OnlyFirst(COCOeval):
        def evaluateImg(self, imgId, catId, aRng, maxDet):  # noqa: N802, N803 (names of pycocotools)
            entry = super().evaluateImg(imgId, catId, aRng, maxDet)
            return entry if imgId == self.params.imgIds[0] else None

    evaluation, _ = evaluated((COCO, OnlyFirst), *data_set(5))

    def first(params):
        del params.imgIds[1:]

    wanted, _ = evaluated(OURS, *data_set(5), change=first)
    assert_same(evaluation.stats, wanted.stats)


def test_equal_boxes_reach_an_overlap_of_1_in_spite_of_rounding():
    rng = np.random.default_rng(0)
    boxes = [[x, y, width, height] for x, y, width, height in (rng.random((40, 4)) * 50).tolist()]
    rows = [{"image_id": 1, "category_id": 1, "bbox": box} for box in boxes]
    truth = {
        "images": [{"id": 1}],
        "categories": [{"id": 1}],
        "annotations": [row | {"id": at + 1, "area": 99, "iscrowd": 0} for at, row in enumerate(rows)],
    }
    results = [row | {"score": 0.5} for row in rows]

    def exact(params):
        params.iouThrs = np.array([1.0])

    ours, theirs = (evaluated(side, truth, results, change=exact)[0] for side in (OURS, THEIRS))
    assert max(table.max(axis=1).min() for table in ours.ious.values()) < 1
    assert_same_evaluations(ours, theirs)
    assert ours.stats[8] == 1


def test_the_entry_of_an_image_with_fewer_predictions():
    ours, theirs = (evaluated(side, *data_set(2))[0] for side in (OURS, THEIRS))
    params = ours.params
    for image in params.imgIds:
        for category in params.catIds:
            for area in params.areaRng:
                entries = [side.evaluateImg(image, category, area, 1) for side in (ours, theirs)]
                assert_same(*entries)


def test_before_any_step():
    evaluation = COCOeval()
    assert (evaluation.stats, evaluation.eval, dict(evaluation.evalImgs), evaluation.ious) == ([], {}, {}, {})
