"""Numbers that pycocotools returned, stored."""

import json
from pathlib import Path

import numpy as np
import pytest

from coco_sides import OURS, assert_same, evaluated
from thresher.errors import DataWarning

FOLDER = Path(__file__).parents[2] / "golden/vision2"
REFERENCE = "pycocotools_2.0.11"
OPTIONS = ("opt_01_iou_list", "opt_02_max_detections", "opt_04_class_agnostic", "opt_06_recall_points")


def case(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def test_what_an_evaluation_holds():
    data = case("shim_01_cocoeval")
    wanted = data["expected"][REFERENCE]
    evaluation, printed = evaluated(OURS, data["gt"], data["dt"])
    assert evaluation.stats.tolist() == wanted["stats"]
    assert list(evaluation.eval) == wanted["eval_keys"]
    assert evaluation.eval["counts"] == wanted["eval.counts"]
    for name in ("precision", "recall", "scores"):
        array = evaluation.eval[name]
        assert {"dtype": str(array.dtype), "shape": [*array.shape]} == wanted[f"eval.{name}"]
    assert evaluation.eval["precision"][0, :, 0, 0, 2].tolist() == wanted["precision[0,:,0,0,2]"]
    assert evaluation.eval["scores"][0, :, 0, 0, 2].tolist() == wanted["scores[0,:,0,0,2]"]
    assert evaluation.eval["recall"][:, :, 0, 2].tolist() == wanted["recall[:,:,0,2]"]
    assert [at for at, entry in enumerate(evaluation.evalImgs) if entry is None] == wanted["evalImgs_none"]
    entry = evaluation.evalImgs[0].items()
    assert {name: getattr(value, "tolist", lambda v=value: v)() for name, value in entry} == wanted[
        "evalImgs_first"
    ]
    tables = {f"{i}/{k}": np.asarray(table).tolist() for (i, k), table in evaluation.ious.items()}
    assert tables == wanted["ious"]
    assert printed.split("\n")[-13:] == wanted["summarize_prints"]
    for name, value in wanted["params"].items():
        assert np.asarray(getattr(evaluation.params, name)).tolist() == value


@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
@pytest.mark.parametrize("name", OPTIONS)
def test_changed_parameters(name):
    data = case(name)
    for strict in (True, False):

        def change(params):
            for option, value in data["parameters"].items():
                setattr(params, option, np.array(value) if "Thrs" in option else value)

        evaluation, _ = evaluated(OURS, data["gt"], data["dt"], change=change, strict=strict)
        wanted = [*data["expected"][REFERENCE]["summarize()"].values()]
        if name == "opt_02_max_detections" and not strict:
            assert wanted[0] == -1
            wanted[0] = data["expected"]["hotcoco_1.3.0"]["stats"]["AP"]
        assert_same(evaluation.stats, np.array(wanted))


def test_a_mean_at_another_number_of_predictions_is_reported():
    data = case("opt_02_max_detections")

    def change(params):
        params.maxDets[2] = 500

    with pytest.warns(DataWarning, match="no 100, for which pycocotools gives -1; the mean is at .* 500"):
        evaluated(OURS, data["gt"], data["dt"], change=change)
