"""Run an evaluation with pycocotools and with its stand-in, and compare everything that others read."""

import contextlib
import io
import json
import re

import numpy as np
import pycocotools.coco
import pycocotools.cocoeval

from thresher.compat import coco

OURS = coco.COCO, coco.COCOeval
THEIRS = pycocotools.coco.COCO, pycocotools.cocoeval.COCOeval


def evaluated(classes, truth, results, kind="bbox", change=None, **options):
    """The evaluation after all three steps, and what it printed without times."""
    truth, results = json.loads(json.dumps([truth, results]))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        known = classes[0]()
        known.dataset = truth
        known.createIndex()
        evaluation = classes[1](known, known.loadRes(results), kind, **options)
        if change:
            change(evaluation.params)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation, re.sub(r"t=[\d.]+", "t=", printed.getvalue())


def assert_same(ours, theirs, place=""):
    """Equal values, types, shapes and orders of keys."""
    assert type(ours) is type(theirs), (place, type(ours), type(theirs))
    if isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), place
        assert np.array_equal(ours, theirs), (place, ours, theirs)
    elif isinstance(ours, dict):
        assert list(ours) == list(theirs), place
        for key in ours:
            assert_same(ours[key], theirs[key], f"{place}[{key!r}]")
    elif isinstance(ours, list):
        assert len(ours) == len(theirs), place
        for at, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(one, other, f"{place}[{at}]")
    else:
        assert ours == theirs, place


def assert_same_evaluations(ours, theirs):
    """All attributes that other tools read."""
    assert_same(ours.stats, theirs.stats, "stats")
    for name in ("counts", "precision", "recall", "scores"):
        assert_same(ours.eval[name], theirs.eval[name], name)
    assert_same(ours.evalImgs, theirs.evalImgs, "evalImgs")
    assert_same(ours.ious, theirs.ious, "ious")
    assert_same(vars(ours.params), vars(theirs.params), "params")
    assert_same(vars(ours._paramsEval), vars(theirs._paramsEval), "_paramsEval")
