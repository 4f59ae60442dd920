"""`compare` tests the primary measure with its full power, whatever else the table shows."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from thresher.cli import main


def detectors(images=300, seed=7):
    """COCO annotations of boxes, and the results of two detectors that find 75 and 85 % of them."""
    rng = np.random.default_rng(seed)
    frames, truths, found = [], [], ([], [])
    for image in range(1, images + 1):
        frames.append({"id": image, "width": 640, "height": 480, "file_name": f"{image}.jpg"})
        for _ in range(rng.integers(0, 8)):
            label = int(rng.integers(1, 7))
            w, h = np.exp(rng.uniform(2.3, 5.5, 2))
            x, y = rng.uniform(0, 400), rng.uniform(0, 250)
            truth = {"id": len(truths) + 1, "image_id": image, "category_id": label, "area": w * h}
            truths.append({**truth, "bbox": [x, y, w, h]})
            for results, share in zip(found, (0.75, 0.85), strict=True):
                if rng.random() < share:
                    j = rng.normal(0, 0.06, 4)
                    box = [x + j[0] * w, y + j[1] * h, w * (1 + j[2]), h * (1 + j[3])]
                    score = float(rng.beta(5, 2))
                    results.append({"image_id": image, "category_id": label, "bbox": box, "score": score})
    categories = [{"id": label, "name": f"c{label}"} for label in range(1, 7)]
    return {"images": frames, "annotations": truths, "categories": categories}, found


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("detectors")
    truth, found = detectors()
    (folder / "g.json").write_text(json.dumps(truth), encoding="utf-8")
    for name, results in zip("ab", found, strict=True):
        (folder / f"{name}.json").write_text(json.dumps(results), encoding="utf-8")
        words = ["--gt", folder / "g.json", "--data", folder / f"{name}.json", "--out", folder / name]
        assert main(["run", "object_detection", *map(str, words), "--name", name, "--quiet"]) == 0
    return [str(folder / name) for name in "ab"]


def compared(capsys, runs, *more):
    capsys.readouterr()
    assert main(["compare", *runs, "--format", "csv", *more]) == 0
    out, err = capsys.readouterr()
    return {row["metric"]: row for row in csv.DictReader(io.StringIO(out))}, err


@pytest.mark.slow
def test_the_default_table_finds_what_the_primary_measure_alone_finds(runs, capsys):
    everything, _ = compared(capsys, runs)
    alone, _ = compared(capsys, runs, "--metric", "detection_coco_map")
    assert len(everything) > 20
    assert next(iter(everything)) == "detection_coco_map"
    for rows in (everything, alone):
        assert rows["detection_coco_map"]["verdict"] == "better"
        assert (
            float(rows["detection_coco_map"]["p_adjusted"])
            == float(rows["detection_coco_map"]["p_value"])
            < 0.05
        )
    assert everything["detection_coco_map"]["p_value"] == alone["detection_coco_map"]["p_value"]
    others = [row for name, row in everything.items() if name != "detection_coco_map"]
    assert {(row["role"], row["verdict"], row["p_adjusted"]) for row in others} == {("secondary", "", "")}
    assert all(row["low"] for row in others)


@pytest.mark.slow
def test_a_measure_chosen_afterwards_is_said_to_be_and_corrected_for_all(runs, capsys):
    rows, err = compared(capsys, runs, "--primary", "detection_coco_map_50")
    assert (
        "Primary measures chosen afterwards: detection_coco_map_50 (the runs declare detection_coco_map)"
        in err
    )
    tested = [row for row in rows.values() if row["role"] == "primary"]
    assert [row["metric"] for row in tested] == ["detection_coco_map_50"]
    assert float(tested[0]["p_adjusted"]) > float(tested[0]["p_value"])
    same, err = compared(capsys, runs, "--primary", "detection_coco_map")
    assert "chosen afterwards" not in err
    assert same["detection_coco_map"]["verdict"] == "better"


def test_no_row_of_the_table_repeats_another(runs, capsys):
    rows, _ = compared(capsys, runs)
    values = {}
    for name, row in rows.items():
        if float(row["run_value"]):  # several kinds of errors do not occur here
            values.setdefault((row["baseline_value"], row["run_value"]), []).append(name)
    # Each image has fewer than ten objects of a label here, so both limits keep the same detections.
    assert [names for names in values.values() if len(names) > 1] == [
        ["detection_coco_mar_10", "detection_coco_mar_100"]
    ]


@pytest.mark.slow
def test_html_and_slices_know_the_choice(runs, capsys, tmp_path):
    page = tmp_path / "page.html"
    assert (
        main(["compare", *runs, "--format", "html", "-o", str(page), "--primary", "detection_coco_map_50"])
        == 0
    )
    assert "chosen afterwards" in page.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["compare", *runs, "--primary", "detection_coco_map_51"]) == 2
    assert "no metric 'detection_coco_map_51'" in capsys.readouterr().err


def test_run_keeps_the_primary_measures_that_it_is_given(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    row = {"id": "a", "question": "Of what?", "response": "Clay", "reference": "Clay"}
    Path("data.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["run", "qa", "--data", "data.jsonl", "--primary", "exact_match", "--quiet"]) == 0
    assert json.loads(Path("runs/data/run.json").read_text(encoding="utf-8"))["primary"] == ["exact_match"]
    capsys.readouterr()
    assert main(["run", "qa", "--data", "data.jsonl", "--name", "b", "--primary", "exact", "--quiet"]) == 2
    err = capsys.readouterr().err
    assert "primary: no measure 'exact' here (did you mean 'exact_match'?)" in err
    assert not Path("runs/b").exists()


def test_what_is_skipped_is_primary_no_more(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    row = {"id": "a", "question": "Of what?", "response": "Clay", "human": 1}
    Path("data.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    words = ["--data", "data.jsonl", "--recorded", "human", "--skip-missing", "--quiet"]
    assert main(["run", "qa", *words]) == 0
    err = capsys.readouterr().err
    assert "skipped primary measures: token_f1; primary now: the headline measure of each metric" in err
    assert json.loads(Path("runs/data/run.json").read_text(encoding="utf-8"))["primary"] == ["human"]
