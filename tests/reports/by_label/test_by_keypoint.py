"""Reports keypoint by keypoint: the values of the table `by_keypoint` with intervals, the worst first."""

import numpy as np
import pytest

from thresher import EvaluationResults, InputError, open_run
from thresher.components.detection import DetectionF1Evaluator, DetectionKeypointsEvaluator, DetectionMatcher
from thresher.kernels.detection.keypoint_errors import KeypointMean
from thresher.reports.html import html_report
from vision_files import cli, coco_poses

NAMES = ("detection_keypoints_similarity", "detection_keypoints_correct")
SKELETON = ["wrist", "thumb", "index", "ring"]


def poses(seed=0, images=30, names=SKELETON[:3]):
    """Hands of four keypoints, of which later ones are farther off; the third is never labelled."""
    rng = np.random.default_rng(seed)
    truths, found = [], []
    for _ in range(images):
        joints = rng.uniform(0, 100, (2, 4, 2))
        visible = np.where(np.arange(4) == 2, 0, (rng.random((2, 4)) < 0.8) * 2)
        moved = joints + rng.normal(0, 1, joints.shape) * np.array([1, 4, 2, 9])[:, None] * rng.gamma(2, 0.5)
        common = {"labels": ["hand"] * 2, "areas": [5000, 5000]}
        truths.append(common | {"keypoints": np.dstack([joints, visible]).tolist()})
        found.append(common | {"keypoints": moved.tolist(), "scores": rng.random(2).tolist()})
    matcher = DetectionMatcher(compare_as="keypoints", sigmas=[0.1] * 4)
    matches = matcher.run(predictions=found, ground_truths=truths)["matches"]
    evaluator = DetectionKeypointsEvaluator(keypoint_names=names, tolerance=0.9)
    results = [
        evaluator.run(matches=matches)["result"],
        DetectionF1Evaluator().run(matches=matches)["result"],
    ]
    return EvaluationResults({"id": [str(image) for image in range(images)]}, results, name="hands")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("metric", NAMES)
def test_values_are_those_of_the_table_the_worst_first_with_intervals(seed, metric):
    run = poses(seed)
    table = run.report_by_keypoint(metrics=[metric]).table()
    detail = {row["keypoint"]: row for row in run.results[0].detail("by_keypoint").rows()}
    quantity = metric.rpartition("_")[2]
    assert {row["keypoint"]: row["value"] for row in table} == pytest.approx(
        {name: row[quantity] for name, row in detail.items()}
    )
    assert sorted(table["keypoint"]) == ["4", "thumb", "wrist"]
    assert [row["objects"] for row in table] == [detail[row["keypoint"]]["objects"] for row in table]
    assert table["value"] == sorted(table["value"])
    assert all(row["low"] < row["value"] < row["high"] for row in table if 0 < row["value"] < 1)
    assert table.reading[0].startswith(
        f"{metric} ↑ is the mean over 3 keypoints: {np.mean(table['value']):.4f}"
    )


def test_an_interval_is_that_of_leaving_out_images():
    """Against the jackknife written out: the value without each image, from the table of the rest."""
    run = poses(images=12)
    result = run.results[0]
    row = next(row for row in run.report_by_keypoint().table() if row["keypoint"] == "thumb")
    without = []
    for image in range(12):
        weights = np.arange(12) != image
        rows = result.detail("by_keypoint", weights=weights.astype(float)).rows()
        without.append(next(each["similarity"] for each in rows if each["keypoint"] == "thumb"))
    expected = np.sqrt(11 / 12 * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert row["standard_error"] == pytest.approx(expected, rel=0.02)


def test_other_orders_and_names():
    run = poses(names=None)
    assert run.report_by_keypoint("label").table()["keypoint"] == ["1", "2", "4"]
    worst = run.report_by_keypoint().table()["keypoint"]
    assert run.report_by_keypoint("best").table()["keypoint"] == worst[::-1]


def test_without_a_hit_there_are_no_keypoints():
    statistics = poses().results[0].statistics
    mean = KeypointMean(("a",))
    assert np.isnan(mean(statistics, np.zeros(30)))
    assert [str(label) for label in mean.label_names(statistics)] == ["a", "2", "3", "4"]


def test_a_run_without_keypoints_is_refused():
    run = EvaluationResults({"id": ["a"]}, poses(images=1).results[1:])
    with pytest.raises(
        InputError, match="no metric of this run compares keypoints; the recipe is keypoint_det"
    ):
        run.report_by_keypoint()
    with pytest.raises(InputError, match="no metric 'detection_f1'"):
        poses().report_by_keypoint(metrics=["detection_f1"])


def test_a_page_of_keypoints():
    report = poses().report_by_keypoint()
    text = html_report(**report.page_arguments(), sections=report.page_sections)
    assert '<h2 id="labels-title">Keypoints</h2>' in text
    assert '<a href="#labels">Keypoints</a>' in text
    assert "detection_keypoints_map" in text


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    coco_poses()
    words = ("run", "keypoint_detection", "--gt", "person_keypoints.json", "--data", "poses.json", "--quiet")
    cli(capsys, *words)
    shown = cli(capsys, "report", "runs/poses", "--by", "keypoint")
    assert shown.split()[:2] == ["keypoint", "value"]
    assert "left_wrist" in shown
    again = open_run("runs/poses").report_by_keypoint().data()
    assert len(again["keypoints"]) == 17
    both = ("report", "runs/poses", "--by", "keypoint", "--detailed")
    assert "--by keypoint shows keypoints: remove one of them" in cli(capsys, *both, code=2)
