"""Queries of COCO objects, and what evaluations and loadRes do where pycocotools fails."""

import contextlib
import copy
import io
import json

import numpy as np
import pytest

from coco_sets import data_set, with_keypoints, with_masks
from coco_sides import OURS, THEIRS, assert_same, evaluated
from thresher.compat.coco import COCO, COCOeval
from thresher.errors import DataWarning, InputError

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # pycocotools

CAT = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9]}


def loaded(kind, dataset):
    with contextlib.redirect_stdout(io.StringIO()):
        made = kind()
        made.dataset = dataset
        made.createIndex()
    return made


def quiet(call, *arguments):
    with contextlib.redirect_stdout(io.StringIO()):
        return call(*arguments)


def test_queries_equal_those_of_pycocotools():
    truth, results = with_masks(*data_set(2), 2)
    for row in truth["categories"]:
        row["supercategory"] = f"group {row['id'] % 2}"
    ours, theirs = (loaded(side[0], copy.deepcopy(truth)) for side in (OURS, THEIRS))
    images, categories = (
        [row["id"] for row in truth["images"]][::4],
        [row["id"] for row in truth["categories"]][:2],
    )
    queries = [
        ("getAnnIds", {}),
        ("getAnnIds", {"imgIds": images, "catIds": categories}),
        ("getAnnIds", {"imgIds": images[0], "areaRng": [100, 900], "iscrowd": False}),
        ("getAnnIds", {"catIds": categories[0]}),
        ("getCatIds", {}),
        ("getCatIds", {"supNms": ["group 1"], "catIds": categories}),
        ("getCatIds", {"catNms": truth["categories"][0]["name"]}),
        ("getImgIds", {}),
        ("getImgIds", {"catIds": categories}),
        ("getImgIds", {"imgIds": images, "catIds": categories[0]}),
        ("loadAnns", {"ids": [1, 2]}),
        ("loadAnns", {"ids": 1}),
        ("loadCats", {"ids": categories}),
        ("loadImgs", {"ids": images[0]}),
    ]
    for name, filters in queries:
        assert_same(getattr(ours, name)(**filters), getattr(theirs, name)(**filters), name)
    for name in ("anns", "cats", "imgs", "imgToAnns", "catToImgs", "dataset"):
        assert_same(getattr(ours, name), getattr(theirs, name), name)
    for one, other in zip(ours.anns.values(), theirs.anns.values(), strict=True):
        assert_same(ours.annToMask(one), theirs.annToMask(other))
    found = [quiet(side.loadRes, copy.deepcopy(results)).dataset for side in (ours, theirs)]
    assert_same(*found, "loadRes")


def test_info_is_printed(capsys):
    loaded(COCO, {"info": {"year": 2017}}).info()
    assert capsys.readouterr().out == "year: 2017\n"


def test_no_results():
    truth, _ = data_set(2)
    evaluation, _ = evaluated(OURS, truth, [])
    assert evaluation.stats[[0, 8]].tolist() == [0, 0]
    with pytest.raises(IndexError):
        evaluated(THEIRS, truth, [])


def test_fewer_numbers_of_predictions_than_lines():
    def change(params):
        params.maxDets = [100]

    with pytest.warns(DataWarning, match="fewer than three numbers"):
        ours, printed = evaluated(OURS, *data_set(2), change=change)
    usual, _ = evaluated(THEIRS, *data_set(2))
    assert ours.stats[6:8].tolist() == [-1, -1] or ours.stats[6] == usual.stats[8]
    assert_same(np.delete(ours.stats, [6, 7, 8]), np.delete(usual.stats, [6, 7, 8]))
    assert printed.count("Average Recall") == 4
    for side, options in ((THEIRS, {}), (OURS, {"strict": True})):
        with pytest.raises(IndexError):
            evaluated(side, *data_set(2), change=change, **options)


@pytest.mark.parametrize("caps", [[5], [100], [5, 100]])
def test_a_strict_summary_prints_what_pycocotools_prints_before_it_fails(caps, capsys):
    printed = []
    for side, options in ((THEIRS, {}), (OURS, {"strict": True})):
        evaluation, _ = evaluated(side, *data_set(2), **options)
        evaluation.params.maxDets = caps
        quiet(evaluation.evaluate)
        quiet(evaluation.accumulate)
        capsys.readouterr()
        with pytest.raises(IndexError):
            evaluation.summarize()
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""


def test_an_annotation_with_the_number_0_is_reported():
    truth = {
        "images": [{"id": 1}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {"id": 0, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81, "iscrowd": 0}
        ],
    }
    results = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.5}]
    with pytest.warns(DataWarning, match="number annotations from 1"):
        ours, _ = evaluated(OURS, truth, results)
    assert ours.stats[0] == evaluated(THEIRS, truth, results)[0].stats[0] == 0
    truth["annotations"][0]["id"] = 1
    assert evaluated(OURS, truth, results)[0].stats[0] == pytest.approx(1)


def test_keypoints_that_pycocotools_does_not_evaluate():
    truth, results = with_keypoints(*data_set(2), 2)

    def pooled(params):
        params.useCats = 0

    with pytest.warns(DataWarning, match="this is the real number"):
        ours, _ = evaluated(OURS, truth, results, "keypoints", pooled)
    theirs, _ = evaluated(THEIRS, truth, results, "keypoints", pooled)
    assert theirs.stats[0] == 0 < ours.stats[0]
    usual, _ = evaluated(THEIRS, truth, results, "keypoints")
    for row in truth["annotations"]:
        del row["num_keypoints"]
    assert_same(evaluated(OURS, truth, results, "keypoints")[0].stats, usual.stats)

    def fewer(params):
        params.kpt_oks_sigmas = params.kpt_oks_sigmas[:5]

    with pytest.raises(InputError, match=r"17 keypoints and params\.kpt_oks_sigmas has 5 numbers"):
        evaluated(OURS, truth, results, "keypoints", fewer)
    results[3]["keypoints"].pop()
    with pytest.raises(InputError, match=r"object 4 of .*: keypoints are x, y, v of each keypoint, 17 as"):
        evaluated(OURS, truth, results, "keypoints")


def test_ids_may_be_texts():
    truth, results = data_set(2)
    for row in (*truth["annotations"], *results):
        row |= {"image_id": f"image {row['image_id']}", "category_id": f"label {row['category_id']:03}"}
    for row in truth["images"]:
        row["id"] = f"image {row['id']}"
    for row in truth["categories"]:
        row["id"] = f"label {row['id']:03}"
    ours, theirs = (evaluated(side, truth, results)[0] for side in (OURS, THEIRS))
    assert_same(ours.stats, theirs.stats)
    assert_same(ours.evalImgs, theirs.evalImgs)


BAD_ENTRIES = [
    (lambda _, rows: rows[3].pop("score"), "object 4 of image .* has no `score`; give a number"),
    (lambda rows, _: rows[3].pop("area"), "object 4 of image .* has no `area`; give a number"),
    (lambda rows, _: rows[3].update(bbox=[1, 2]), r"object 4 .*: bbox is \[1, 2\]; give x, y, width"),
    (lambda rows, _: rows[3].pop("id"), "annotations\\[3\\]: no id; give a number"),
    (lambda _, rows: rows[3].update(image_id=5), r"images that the ground truth does not have \(1\): 5;"),
    (lambda _, rows: rows[0].pop("bbox"), "the first result has no bbox, segmentation or keypoints"),
    (lambda _, rows: rows[3].update(bbox=None), "result 4: bbox is x, y, width, height"),
    (lambda _, rows: rows[3].update(score="high"), "object 4 of image .*: score is 'high'; give a number"),
]
BAD_MASKS = [
    (lambda rows, _: rows[3].update(segmentation=3), "object 4 .*: give run lengths or a list of polygons"),
    (
        lambda _, rows: rows[3]["segmentation"].update(counts="~"),
        "object 4 .*: compressed run lengths are dam",
    ),
]


@pytest.mark.parametrize(
    ("change", "message", "kind"),
    [(*case, "bbox") for case in BAD_ENTRIES] + [(*case, "segm") for case in BAD_MASKS],
)
def test_bad_entries(change, message, kind):
    truth, results = data_set(2)
    if kind == "segm":
        truth, results = with_masks(truth, results, 2)
    change(truth["annotations"], results)
    with pytest.raises(InputError, match=message):
        evaluated(OURS, truth, results, kind)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: loaded(COCO, {"images": []}).loadRes(np.zeros((2, 6))), r"not the shape \(2, 6\)"),
        (lambda: loaded(COCO, {"images": []}).loadRes({"a": 1}), "results: give a list of dicts, not dict"),
        (lambda: COCOeval(iouType="boxes"), "iouType='boxes' is not supported; give one of segm, bbox"),
        (lambda: COCOeval(iouType="bbox").evaluate(), "needs two objects"),
        (lambda: COCOeval(iouType="bbox").accumulate(), r"call evaluate\(\) first"),
        (lambda: COCOeval(iouType="bbox").summarize(), r"call accumulate\(\) first"),
        (lambda: COCO("nothing.json"), "nothing.json"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_the_ground_truth_is_no_list_of_results(tmp_path):
    (tmp_path / "truth.json").write_text(json.dumps(data_set(2)[0]))
    truth = quiet(COCO, tmp_path / "truth.json")
    with pytest.raises(InputError, match="object 1 of image 16 has no `score`"):
        quiet(COCOeval(truth, truth, "bbox").evaluate)


def test_an_annotation_of_a_file_without_area(tmp_path):
    truth, results = data_set(2)
    del truth["annotations"][4]["area"]
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    known = quiet(COCO, tmp_path / "truth.json")
    with pytest.raises(InputError, match=r"object 5 of image .* has no `area`"):
        quiet(COCOeval(known, quiet(known.loadRes, results), "bbox").evaluate)


def test_a_list_is_no_instances_file(tmp_path):
    (tmp_path / "results.json").write_text(json.dumps([{"image_id": 1}]))
    with pytest.raises(InputError, match="for results call loadRes"):
        quiet(COCO, tmp_path / "results.json")


def test_nothing_to_draw():
    assert COCO().showAnns([]) == 0
    with pytest.raises(NotImplementedError, match="with a plotting library"):
        COCO().showAnns([{"id": 1}])
