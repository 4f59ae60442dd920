"""What training tools do with an evaluation: entries gathered from processes, single steps."""

import contextlib
import copy
import io
import json
import subprocess
import sys

import numpy as np
import pytest

from coco_sets import data_set
from coco_sides import OURS, THEIRS, assert_same, evaluated


def one_by_one(evaluation):
    """The steps of `evaluate`, as tools call them that do not want it to print."""
    params = evaluation.params
    params.imgIds, params.catIds = list(np.unique(params.imgIds)), list(np.unique(params.catIds))
    evaluation._prepare()
    evaluation.ious = {(i, k): evaluation.computeIoU(i, k) for i in params.imgIds for k in params.catIds}
    most = params.maxDets[-1]
    entries = [
        evaluation.evaluateImg(i, k, area, most)
        for k in params.catIds
        for area in params.areaRng
        for i in params.imgIds
    ]
    evaluation._paramsEval = copy.deepcopy(params)
    return entries


def all_at_once(evaluation):
    evaluation.evaluate()
    return evaluation.evalImgs


def by_batches(classes, truth, results, step):
    """Evaluate batches of images as several processes do, and accumulate their entries together."""
    known = classes[0]()
    known.dataset = json.loads(json.dumps(truth))
    known.createIndex()
    evaluation = classes[1](known, iouType="bbox")
    images = [image["id"] for image in truth["images"]]
    gathered = []
    for batch in (images[20:], images[:11], images[8:20]):  # processes pad their share with images of others
        found = [dict(row) for row in results if row["image_id"] in batch]
        evaluation.cocoDt = classes[0].loadRes(known, found) if found else classes[0]()
        evaluation.params.imgIds = list(batch)
        entries = step(evaluation)
        params = evaluation.params
        shape = len(params.catIds), len(params.areaRng), len(params.imgIds)
        gathered.append((params.imgIds, np.asarray(entries, dtype=object).reshape(shape)))
    ids, first = np.unique(np.concatenate([ids for ids, _ in gathered]), return_index=True)
    entries = np.concatenate([entries for _, entries in gathered], axis=2)[..., first]
    evaluation.evalImgs, evaluation.params.imgIds = list(entries.flatten()), list(ids)
    evaluation._paramsEval = copy.deepcopy(evaluation.params)
    evaluation.accumulate()
    evaluation.summarize()
    return evaluation


@pytest.mark.parametrize("step", [one_by_one, all_at_once])
def test_gathered_entries_of_batches_give_the_numbers_of_the_whole(step):
    truth, results = data_set(2)
    whole, _ = evaluated(THEIRS, truth, results)
    with contextlib.redirect_stdout(io.StringIO()):
        ours, theirs = (by_batches(side, truth, results, step) for side in (OURS, THEIRS))
    for name in ("precision", "recall", "scores"):
        assert_same(ours.eval[name], theirs.eval[name], name)
    assert_same(ours.stats, whole.stats)


def test_other_packages_import_it_as_pycocotools():
    code = """
import sys
sys.modules["pycocotools._mask"] = None  # a compiled module that must not be needed
from thresher.compat.coco import COCOeval, init_as_pycocotools
init_as_pycocotools(strict=True)
import pycocotools.mask as masks
from pycocotools import cocoeval
from pycocotools.coco import COCO
from pycocotools.mask import encode
assert issubclass(cocoeval.COCOeval, COCOeval) and cocoeval.COCOeval().strict and not COCOeval().strict
assert cocoeval.Params().maxDets == [1, 10, 100] and masks.encode is encode
assert not {"haystack", "pandas", "torch"} & {*sys.modules}
print(COCO.__module__)
"""
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed == "thresher.compat.coco.annotations\n"
