"""COCO's files in a folder, and the numbers of pycocotools for them."""

import contextlib
import io
import json

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from thresher.datasets.coco import read_coco


def files(folder, truth, results):
    """Paths of the ground truth and of the results, written to the folder."""
    paths = folder / "truth.json", folder / "results.json"
    for path, content in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    return paths


def columns(folder, truth, results, geometries):
    """Inputs of the matcher, read from files."""
    data = read_coco(*files(folder, truth, results), geometries=geometries)
    return {name: data.column(name) for name in ("predictions", "ground_truths")}


def keypoint_stats(truth, results, sigmas=None):
    """The ten numbers of pycocotools, NaN where it has -1."""
    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO()
        known.dataset = json.loads(json.dumps(truth))
        known.createIndex()
        evaluation = COCOeval(known, known.loadRes(json.loads(json.dumps(results))), "keypoints")
        if sigmas is not None:
            evaluation.params.kpt_oks_sigmas = np.array(sigmas)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return [float("nan") if number == -1 else float(number) for number in evaluation.stats]
