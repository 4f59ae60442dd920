"""Reports keypoint by keypoint: the values of the table `by_keypoint` with intervals, the worst first."""

import numpy as np
import pytest

from thresher import EvaluationResults, InputError, open_run
from thresher.components.detection import DetectionF1Evaluator, DetectionKeypointsEvaluator, DetectionMatcher
from thresher.kernels.detection.keypoint_errors import KeypointMean
from thresher.kernels.inference import holm
from thresher.reports.html import html_report
from vision_files import cli, coco_poses

NAMES = ("detection_keypoints_similarity", "detection_keypoints_correct")
SKELETON = ["wrist", "thumb", "index", "ring"]


def poses(seed=0, images=30, names=SKELETON[:3], noise=None, tolerance=0.9):
    """Hands of four keypoints, of which later ones are farther off; the third is never labelled."""
    rng = np.random.default_rng(seed)
    errors = rng if noise is None else np.random.default_rng(noise)
    truths, found = [], []
    for _ in range(images):
        joints = rng.uniform(0, 100, (2, 4, 2))
        visible = np.where(np.arange(4) == 2, 0, (rng.random((2, 4)) < 0.8) * 2)
        spread = np.array([1, 4, 2, 9])[:, None]
        moved = joints + errors.normal(0, 1, joints.shape) * spread * errors.gamma(2, 0.5)
        common = {"labels": ["hand"] * 2, "areas": [5000, 5000]}
        truths.append(common | {"keypoints": np.dstack([joints, visible]).tolist()})
        found.append(common | {"keypoints": moved.tolist(), "scores": rng.random(2).tolist()})
    matcher = DetectionMatcher(compare_as="keypoints", sigmas=[0.1] * 4)
    matches = matcher.run(predictions=found, ground_truths=truths)["matches"]
    evaluator = DetectionKeypointsEvaluator(keypoint_names=names, tolerance=tolerance)
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
    assert '<h2 id="keypoints-title">Keypoints</h2>' in text
    assert '<a href="#keypoints">Keypoints</a>' in text
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
    cli(capsys, *words, "--out", "runs/again", "--name", "again")
    compared = cli(capsys, "compare", "runs/poses", "runs/again", "--by", "keypoint")
    assert "again against poses, detection_keypoints_similarity: unchanged for 17 keypoints." in compared
    both = ("report", "runs/poses", "--by", "keypoint", "--detailed")
    assert "--by keypoint shows keypoints: remove one of them" in cli(capsys, *both, code=2)


@pytest.fixture(scope="module")
def pair():
    """Runs of the same hands, of which the second has its own errors."""
    return tuple(renamed(poses(noise=noise), name) for noise, name in ((1, "weak"), (5, "strong")))


def renamed(run, name, results=slice(None)):
    return EvaluationResults(run.inputs, run.results[results], name=name)


@pytest.mark.parametrize("metric", NAMES)
def test_differences_are_those_of_the_tables_the_largest_loss_first(pair, metric):
    report = pair[0].compare_by_keypoint(pair[1], metrics=[metric])
    rows = report.data()["differences"]
    details = [run.results[0].detail("by_keypoint").rows() for run in pair]
    before, after = ({row["keypoint"]: row[metric.rpartition("_")[2]] for row in rows} for rows in details)
    assert {row["keypoint"]: row["difference"] for row in rows} == pytest.approx(
        {name: after[name] - before[name] for name in before}
    )
    assert [row["difference"] for row in rows] == sorted(row["difference"] for row in rows)
    assert all(row["interval"]["low"] < row["difference"] < row["interval"]["high"] for row in rows)
    known = [row.comparison.far_p_value for row in report.rows]
    assert [row["p_adjusted"] for row in rows] == pytest.approx(holm(known).tolist())
    assert report.table().columns[0] == "keypoint"


def test_the_standard_error_of_a_difference_is_that_of_leaving_out_images(pair):
    (row,) = (row for row in pair[0].compare_by_keypoint(pair[1]).rows if row.part == "thumb")
    images = len(pair[0])
    without = []
    for image in range(images):
        weights = (np.arange(images) != image).astype(float)
        tables = [run.results[0].detail("by_keypoint", weights=weights).rows() for run in pair]
        one, two = (next(r["similarity"] for r in rows if r["keypoint"] == "thumb") for rows in tables)
        without.append(two - one)
    expected = np.sqrt((images - 1) / images * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert row.comparison.standard_error == pytest.approx(expected, rel=0.02)


def test_pages_of_one_and_of_several_runs_have_the_keypoints(pair):
    other = renamed(pair[1], "third")
    for runs in ([pair[0]], [*pair], [*pair, other]):
        text = html_report(runs, max_rows=0)
        assert text.count('<section id="keypoints"') == 1
        assert '<a href="#keypoints">Keypoints</a>' in text
        assert "detection_keypoints_similarity" in text
        assert "detection_keypoints_correct" not in text
        assert 'id="keypoints"' not in html_report(runs, max_rows=0, metrics=["detection_f1"])
    without = renamed(pair[1], "plain", slice(1, None))
    assert 'id="keypoints"' not in html_report([pair[0], without], max_rows=0)


def test_a_page_of_compared_keypoints_takes_their_metrics_and_margins(pair):
    margins = {NAMES[1]: 0.05}
    report = pair[0].compare_by_keypoint(pair[1], metrics=[NAMES[1]], margins=margins)
    text = html_report(**report.page_arguments(), sections=report.page_sections, max_rows=0)
    assert NAMES[1] in text
    assert NAMES[0] not in text


def test_runs_without_keypoints_in_common_are_refused(pair):
    without = renamed(pair[1], "plain", slice(1, None))
    with pytest.raises(InputError, match="no metric of plain compares keypoints"):
        pair[0].compare_by_keypoint(without)
    stricter = renamed(poses(noise=2, tolerance=0.5), "stricter")
    similar, correct = ({row.withheld for row in _rows(pair[0], stricter, name)} for name in NAMES)
    assert (similar, correct) == ({None}, {"other settings"})


def _rows(first, second, metric):
    return first.compare_by_keypoint(second, metrics=[metric]).rows
