"""Objects from the files that people have, through runs and reports."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from thresher import build, open_run
from thresher.cli import main
from vision_files import BETTER, FOUND, cli, coco_results, coco_truths, folder, values


def detect(capsys, *words):
    return cli(capsys, "run", "object_detection", "--gt", "instances.json", "--quiet", *words)


@pytest.fixture
def runs(workplace, capsys):
    coco_truths()
    coco_results("base.json", FOUND)
    coco_results("better.json", BETTER)
    for name in ("base", "better"):
        detect(capsys, "--data", f"{name}.json")
    return workplace / "runs"


def test_coco_files_give_coco_s_numbers(runs):
    scores = values(runs / "base")
    assert scores["detection_coco_map_50"] == pytest.approx((1 + 0) / 2)
    assert scores["detection_coco_mar_100"] == pytest.approx((0.95 + 0) / 2)
    assert scores["detection_f1"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 2))
    assert list(open_run(runs / "base").ids) == ["3", "5", "8", "9"]


def test_masks_are_read_where_the_recipe_compares_masks(workplace, capsys):
    coco_truths()
    coco_results("masks.json", FOUND, masks=True)
    words = ["--gt", "instances.json", "--data", "masks.json", "--quiet"]
    cli(capsys, "run", "instance_segmentation", *words)
    assert values("runs/masks")["detection_coco_map_50"] == pytest.approx(0.5)
    cli(capsys, "run", "instance_segmentation", *words, "--geometries", "polygons", "--name", "exact")
    assert values("runs/exact")["detection_coco_map_50"] == pytest.approx(0.5)
    coco_results("boxes.json", FOUND)
    words[3] = "boxes.json"
    assert "boxes.json: results[0] has no 'segmentation'; read boxes instead with" in cli(
        capsys, "run", "instance_segmentation", *words, code=2
    )


@pytest.mark.slow
def test_chunks_and_a_run_that_was_killed_make_no_difference(runs, capsys):
    detect(capsys, "--data", "base.json", "--out", "pieces", "--chunk-size", "1")
    assert len(list(Path("pieces/parts").iterdir())) == 4
    assert values("pieces") == pytest.approx(values(runs / "base"), nan_ok=True)
    Path("pieces/parts/part-00002.parquet").unlink()
    kept = Path("pieces/parts/part-00001.parquet").stat().st_mtime_ns
    detect(capsys, "--data", "base.json", "--out", "pieces", "--chunk-size", "1")
    assert Path("pieces/parts/part-00001.parquet").stat().st_mtime_ns == kept
    assert values("pieces") == pytest.approx(values(runs / "base"), nan_ok=True)


def test_reports_of_detectors(runs, capsys):
    assert "detection_coco_map_50 (COCO, 101 points, IoU 0.5) ↑" in cli(capsys, "report", runs / "base")
    data = json.loads(cli(capsys, "report", runs / "base", "--format", "json"), parse_constant=pytest.fail)
    assert data["metrics"]["detection_coco_map_large"]["value"] is None
    assert any(
        "detection_coco_map_large" in note and "no true object of that size" in note for note in data["notes"]
    )
    gate = open_run(runs / "base").gate(["detection_coco_map_large>=0.5"])
    assert gate.exit_code == 3
    assert "detection_coco_map_large has no value on these 4 items: no true object of that size." in str(gate)
    assert "matching:coco" in data["metrics"]["detection_f1"]["signature"]
    page = cli(capsys, "report", runs / "base", "--format", "html")
    assert "detection_confusion_matrix" in page
    below = cli(capsys, "inputs-below", runs / "base", "--metric", "detection_f1", "--threshold", "0.6")
    assert "2 of 4 items have detection_f1 below 0.6 (3/4 scored)" in below


@pytest.mark.slow
def test_two_detectors_are_compared_image_by_image(runs, capsys):
    data = json.loads(cli(capsys, "compare", runs / "base", runs / "better", "--format", "json"))
    rows = {row["metric"]: row for row in data["differences"]}
    assert rows["detection_coco_map_50"]["difference"] == pytest.approx(0.5)
    assert rows["detection_coco_map_50"]["items"] == 4
    low, high = (rows["detection_coco_map_50"]["interval"][end] for end in ("low", "high"))
    assert low <= 0.5 <= high
    assert (rows["detection_f1"]["wins"], rows["detection_f1"]["losses"]) == (2, 0)
    page = cli(capsys, "compare", runs / "base", runs / "better", "--format", "html")
    assert "better" in page


def test_what_coco_tells_of_images_slices_reports(workplace, capsys):
    scenes = dict(zip((3, 5, 8, 9), ("day", "day", "night", "night"), strict=True))
    coco_truths(images=[{"id": image, "scene": scene} for image, scene in scenes.items()])
    coco_results("base.json", FOUND)
    detect(capsys, "--data", "base.json")
    words = [
        "report",
        "runs/base",
        "--slice",
        "scene",
        "--metric",
        "detection_coco_map_50",
        "--format",
        "json",
    ]
    assert sliced(cli(capsys, *words)) == {"day": 0.5, "night": 0}


def test_columns_about_images_come_from_a_table(workplace, capsys):
    folder("labels", {"a.txt": "0 0.5 0.5 0.2 0.4", "b.txt": "0 0.5 0.5 0.2 0.4"})
    folder("found", {"a.txt": "0 0.5 0.5 0.2 0.4 0.9"})
    Path("about.csv").write_text("id,camera\nb,front\na,rear\nz,rear\n")
    words = ["run", "object_detection", "--gt", "labels", "--data", "found", "--quiet"]
    cli(capsys, *words, "--about", "about.csv")
    report = [
        "report",
        "runs/found",
        "--slice",
        "camera",
        "--metric",
        "detection_coco_map",
        "--format",
        "json",
    ]
    assert sliced(cli(capsys, *report)) == {"front": 0, "rear": pytest.approx(1)}
    for text, message in (
        (
            "id,camera\nz,front\n",
            "about.csv is about none of the images: its ids are like 'z', the images 'a'",
        ),
        ("camera\nfront\n", "about.csv has no column 'id'"),
        ("id,predictions\na,x\n", "about.csv has a column 'predictions', which the images have already"),
    ):
        Path("about.csv").write_text(text)
        assert message in cli(capsys, *words, "--about", "about.csv", "--name", "bad", code=2)


def sliced(report):
    """Value by part, out of a report as JSON."""
    parts = json.JSONDecoder().raw_decode(report)[0]["slices"]
    return {part["slice"].split(" = ")[1]: part["value"] for part in parts}


def test_a_slice_of_images_is_a_value_of_the_same_run(runs):
    result = open_run(runs / "base").metrics["detection_coco_map_50"].result
    assert result.value("detection_coco_map_50", weights=[1, 1, 0, 0]) == pytest.approx(0.5)
    assert result.value("detection_coco_map_50", weights=[0, 1, 0, 0]) == 1.0


def test_yolo_folders(workplace, capsys):
    lines = "0 0.5 0.5 0.2 0.4\n1 0.2 0.2 0.1 0.1\n"
    folder("labels", {"a.txt": lines, "b.txt": "", "classes.txt": "cat\ndog\n"})
    folder("found", {"a.txt": "0 0.5 0.5 0.2 0.4 0.9\n", "b.txt": "1 0.5 0.5 0.2 0.2 0.4\n"})
    cli(capsys, "run", "object_detection", "--gt", "labels", "--data", "found", "--quiet")
    assert values("runs/found")["detection_coco_map"] == pytest.approx(0.5)
    table = open_run("runs/found").metrics["detection_coco_map"].result.detail("by_label").columns
    assert table["label"] == ["cat", "dog"]
    Path("names.txt").write_text("ape\nfox\n")
    words = ["--gt", "labels", "--data", "found", "--labels", "names.txt", "--name", "renamed", "--quiet"]
    cli(capsys, "run", "object_detection", *words)
    assert open_run("runs/renamed").metrics["detection_coco_map"].result.detail("by_label").columns[
        "label"
    ] == [
        "ape",
        "fox",
    ]


def test_predictions_of_ultralytics_with_the_names_of_its_yaml(workplace, capsys):
    """`predictions.json`: image_id is a stem, category_id a class number from 1."""
    images = [{"id": at, "file_name": f"val/{stem}.jpg"} for at, stem in ((1, "000002"), (2, "b"))]
    rows = [{"id": at, "image_id": at, "category_id": 4, "bbox": [0, 0, 9, 9]} for at in (1, 2)]
    coco_truths(images=images, annotations=rows)
    written = [
        {"image_id": key, "file_name": name, "category_id": 1, "bbox": [0, 0, 9, 9], "score": 0.9}
        for key, name in ((2, "000002.jpg"), ("b", "b.jpg"))
    ]
    Path("predictions.json").write_text(json.dumps(written))
    Path("data.yaml").write_text("names:\n  0: dog\n  1: cat\n")
    words = ["--gt", "instances.json", "--data", "predictions.json", "--names", "data.yaml", "--quiet"]
    assert main(["run", "object_detection", *words, "--class-offset", "-1"]) == 0
    warning = capsys.readouterr().err
    assert "warning: the predictions name images by file_name without its folder, not by id" in warning
    assert values("runs/predictions")["detection_coco_map"] == 1.0
    assert open_run("runs/predictions").provenance["reading"]["notes"] == [
        "the predictions name categories by the numbers of the labels given",
        "-1 was added to category_id of the predictions",
        "the predictions name images by file_name without its folder, not by id",
    ]


def test_kitti_folders(workplace, capsys):
    """Both formats have *.txt; a name at the start of the lines is KITTI's."""
    rest = "0 0 100 100 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59"
    folder("labels", {"a.txt": f"Car 0.00 0 -1.58 {rest}\nCar 0.00 2 -1.58 50 {rest[2:]}\n", "b.txt": ""})
    folder("found", {"a.txt": f"Car -1 -1 -10 {rest} 0.9\n"})
    cli(capsys, "run", "object_detection", "--gt", "labels", "--data", "found", "--quiet")
    assert values("runs/found")["detection_coco_mar_100"] == 0.5
    words = ["--gt", "labels", "--data", "found", "--difficulty", "easy", "--name", "easy", "--quiet"]
    cli(capsys, "run", "object_detection", *words)
    assert values("runs/easy")["detection_coco_mar_100"] == 1.0


def test_yolo_shares_become_pixels_of_the_images(workplace, capsys):
    folder("labels", {"a.txt": "0 0.5 0.5 0.2 0.4\n" * 10})
    folder("found", {"a.txt": "0 0.5 0.5 0.2 0.4 0.9\n" * 10})
    Path("images").mkdir()
    Image.new("L", (400, 200)).save("images/a.jpg")
    words = ["run", "object_detection", "--gt", "labels", "--data", "found", "--images", "images", "--quiet"]
    assert main(words) == 0
    assert "small" not in capsys.readouterr().err
    results = open_run("runs/found")
    assert results.inputs["ground_truths"][0].boxes[0].tolist() == [160, 60, 240, 140]
    assert results.metrics["detection_coco_map_medium"].value == pytest.approx(1.0)
    assert main([*words[:6], "--quiet", "--name", "shares"]) == 0
    warned = "no object of them counts in values of small, medium and large objects; pass --images DIR"
    assert warned in capsys.readouterr().err
    assert np.isnan(values("runs/shares")["detection_coco_map_small"])
    assert "map_small" in (shown := cli(capsys, "report", "runs/shares"))
    assert "no true object of any size (shares of an image have none: give --images DIR" in shown
    Path("images/a.jpg").write_text("no picture")
    assert "a.jpg cannot be read as an image" in cli(capsys, *words, "--name", "bad", code=2)


def test_rotated_boxes_of_yolo_are_compared_as_polygons(workplace, capsys):
    diamond = "0 0.5 0.3 0.7 0.5 0.5 0.7 0.3 0.5"
    folder("labels", {"a.txt": diamond})
    folder("found", {"a.txt": "0 0.5 0.5 0.4 0.4 0.9"})
    folder("turned", {"a.txt": f"{diamond} 0.9"})
    for name in ("found", "turned"):
        words = ["--gt", "labels", "--data", name, "--quiet"]
        cli(capsys, "run", "instance_segmentation", *words)
    assert values("runs/turned")["detection_coco_map"] == pytest.approx(1.0)


VOC = (
    "<annotation><object><name>cat</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>10</xmax><ymax>10</ymax>"
    "</bndbox></object></annotation>"
)


def test_pascal_voc_folders(workplace, capsys):
    folder("Annotations", {"img1.xml": VOC, "img2.xml": "<annotation></annotation>"})
    folder("results", {"comp4_det_test_cat.txt": "img1 0.9 1 1 10 10\nimg2 0.4 1 1 10 10\n"})
    cli(capsys, "run", "object_detection", "--gt", "Annotations", "--data", "results", "--quiet")
    assert values("runs/results")["detection_coco_map"] == pytest.approx(1.0)
    assert values("runs/results")["detection_f1"] == pytest.approx(1.0)


def test_difficult_objects_of_pascal_voc_are_ignored_unless_told(workplace, capsys):
    spared = VOC.replace("</name>", "</name><difficult>1</difficult>")
    folder("Annotations", {"img1.xml": VOC, "img2.xml": spared})
    folder("results", {"comp4_det_test_cat.txt": "img1 0.9 1 1 10 10\n"})
    words = ["run", "object_detection", "--gt", "Annotations", "--data", "results", "--quiet"]
    cli(capsys, *words)
    assert values("runs/results")["detection_f1_recall"] == 1.0
    cli(capsys, *words, "--difficult", "keep", "--out", "kept")
    assert values("kept")["detection_f1_recall"] == 0.5


def test_images_of_objects_one_per_line(workplace, capsys):
    image = {"labels": ["cat"], "boxes": [[0, 0, 10, 10]]}
    row = {"id": "a", "ground_truths": image, "predictions": image | {"scores": [0.9]}}
    Path("images.jsonl").write_text(json.dumps(row))
    cli(capsys, "run", "object_detection", "--data", "images.jsonl", "--quiet")
    assert values("runs/images")["detection_coco_map"] == pytest.approx(1.0)


def test_detection_metrics_are_left_out_with_their_matcher(workplace, capsys):
    Path("mixed.yaml").write_text(build(["token_f1", "detection_f1"]).dumps())
    Path("answers.jsonl").write_text('{"predicted_answers": "a", "ground_truth_answers": "a"}')
    assert main(["run", "mixed.yaml", "--data", "answers.jsonl", "--skip-missing", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert "token_f1" in out
    assert "skipped detection_f1: the data have no column" in err


def test_no_images_at_all(workplace, capsys):
    coco_truths(images=[], annotations=[])
    Path("none.json").write_text("[]")
    assert "detection_coco_map" in detect(capsys, "--data", "none.json")
    assert values("runs/none")["detection_coco_map"] != values("runs/none")["detection_coco_map"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--gt", "instances.json"], "--gt gives only the ground truth: give predictions with --data"),
        (["--gt", "nowhere", "--data", "base.json"], "nowhere does not exist; --gt is one of: a COCO file"),
        (
            ["--gt", "empty", "--data", "base.json"],
            "empty should hold *.txt (yolo) or *.xml (voc) or *.txt (kitti) or *.txt (dota) and ",
        ),
        (["--gt", "data.yaml", "--data", "base.json"], "data.yaml lists labels: give it with --labels, and"),
        (["--gt", "a.xml", "--data", "base.json"], "a.xml is a single *.xml file; give the folder of such"),
        (
            ["--gt", "layout/images/val", "--data", "base.json"],
            "*.txt (dota) and holds none; give the folder that does: layout/labels/val",
        ),
        (
            ["--gt", "both", "--data", "base.json"],
            "holds *.txt and *.xml; choose the format with --gt-format",
        ),
        (["--gt", "instances.json", "--data", "nothing.json"], "nothing.json cannot be read"),
        (
            ["--gt", "instances.json", "--data", "base.json", "--background", 1],
            "--background is an option of masks, but instances.json is read as coco; remove",
        ),
        (
            ["--gt", "both", "--gt-format", "yolo", "--data", "both", "--class-offset", 1],
            "--class-offset is an option of coco, but both is read as yolo",
        ),
        (
            ["--gt", "both", "--gt-format", "yolo", "--data", "both", "--geometries", "masks"],
            "--geometries is an option of coco, but both is read as yolo",
        ),
        (
            ["--data", "base.json", "--labels", "x"],
            "--labels is an option of --gt: give --gt too, or remove the option",
        ),
        (["--data", "base.json", "--gt-format", "coco"], "--gt-format is an option of --gt"),
        (
            ["--data", "base.json"],
            "base.json has no column of true objects: give COCO, YOLO, Pascal VOC or KITTI files with --gt",
        ),
        (
            ["--gt", "instances.json", "--data", "bad.json"],
            "bad.json: results[0]: score is nan; give a finite",
        ),
        (
            ["--gt", "instances.json", "--data", "stray.json"],
            "stray.json: results[0]: image_id 77 is none of",
        ),
    ],
)
def test_what_cannot_be_used_is_named(workplace, capsys, words, message):
    coco_truths()
    coco_results("base.json", FOUND)
    coco_results("bad.json", FOUND, score=float("nan"))
    coco_results("stray.json", FOUND, image_id=77)
    folder("empty", {})
    folder("both", {"a.txt": "0 0.5 0.5 1 1", "a.xml": VOC})
    for name in ("data.yaml", "a.xml"):
        Path(name).touch()
    Path("layout/images/val").mkdir(parents=True)
    Path("layout/labels").mkdir()
    folder("layout/labels/val", {"a.txt": "0 0.5 0.5 1 1"})
    assert message in cli(capsys, "run", "object_detection", *words, "--quiet", code=2)


@pytest.mark.slow
def test_pictures_that_do_not_fit_are_named_on_standard_error(workplace, capsys):
    rng = np.random.default_rng(1)
    pixels = [base64.b64encode(rng.integers(0, 256, 9_000, np.uint8).tobytes()).decode() for _ in range(6)]
    images = [
        {"id": at, "width": 50, "height": 50, "image": f"data:image/png;base64,{each}"}
        for at, each in enumerate(pixels)
    ]
    truths = [
        {"id": at, "image_id": at, "category_id": 1, "bbox": [1, 1, 9, 9], "area": 81} for at in range(6)
    ]
    found = [{"image_id": at, "category_id": 1, "bbox": [1, 1, 9, 9], "score": 0.9} for at in range(0, 6, 2)]
    file = {"images": images, "annotations": truths, "categories": [{"id": 1, "name": "a"}]}
    Path("g.json").write_text(json.dumps(file))
    Path("d.json").write_text(json.dumps(found))
    cli(capsys, "run", "object_detection", "--gt", "g.json", "--data", "d.json", "--quiet")
    words = ["report", "runs/d", "--format", "html", "-o", "r.html"]
    assert main(words) == 0
    assert capsys.readouterr().err == "thresher: wrote r.html\n"
    size = Path("r.html").stat().st_size
    assert main([*words, "--max-mb", str((size - 25_000) / 1e6)]) == 0
    said = capsys.readouterr().err
    assert said.startswith("thresher: warning: ")
    assert said.endswith("\nthresher: wrote r.html\n")
    assert "of 6 pictures are left out of this file to keep it small" in said
    assert "--max-mb" in said
    assert len(said.splitlines()) == 2
    required = "coverage(detection_coco_map)>=0.01"
    gate = ["gate", "runs/d", "--require", required, "--html", "g.html", "--max-mb"]
    assert main([*gate, str((size - 25_000) / 1e6)]) in (0, 4)
    assert "pictures are left out" in capsys.readouterr().err


BY_NAME = ("--sort", "label", "--format", "json")


def test_labels_are_reported_and_compared(runs, capsys):
    shown = cli(capsys, "report", "runs/base", "--by", "label")
    assert "label" in shown.splitlines()[0]
    assert "is the mean over 2 labels" in shown
    assert "\ndog  " in shown
    compared = cli(capsys, "compare", "runs/base", "runs/better", "--by", "label")
    assert "better against base, detection_coco_map: " in compared
    by_name = cli(capsys, "compare", "runs/base", "runs/better", "--by", "label", *BY_NAME)
    assert [row["label"] for row in json.loads(by_name)["differences"]] == ["cat", "dog"]
    cli(capsys, "report", "runs/base", "--by", "label", "--sort", "label", "-o", "labels.html")
    assert 'id="labels"' in Path("labels.html").read_text(encoding="utf-8")


def test_options_of_labels_that_do_not_fit_are_refused(runs, capsys):
    assert "has no values per label" in cli(
        capsys, "report", "runs/base", "--by", "label", "--metric", "detection_f1", code=2
    )
    for words in (("report", "runs/base"), ("compare", "runs/base", "runs/better")):
        assert "--sort is the order of labels" in cli(capsys, *words, "--sort", "best", code=2)
    assert "remove one of them" in cli(
        capsys, "report", "runs/base", "--by", "label", "--slice", "width", code=2
    )
