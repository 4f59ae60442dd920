"""COCO's panoptic files, through runs."""

import json
import re
from pathlib import Path

from panoptic_cases import STEM, random_images, write
from thresher import open_run
from thresher.components.segmentation import SegmentationPanopticQualityEvaluator
from vision_files import cli, coco_truths


def test_panoptic_files(workplace, capsys):
    sides = random_images(2, images=3)
    for name, side in zip(("gt", "found"), sides, strict=True):
        write(Path(f"{name}.json"), dict(enumerate(side)))
    words = ["run", "panoptic_segmentation", "--data", "found.json", "--quiet"]
    cli(capsys, *words, "--gt", "gt.json", "--chunk-size", 1)
    metrics = open_run("runs/found").metrics
    assert metrics[STEM].value == SegmentationPanopticQualityEvaluator().run(*sides)["score"]
    assert "by_kind" in {detail.name for detail in metrics[STEM].result.breakdowns}
    items = json.loads(cli(capsys, "report", "runs/found", "--detailed", "--format", "json"))
    outcomes = " ".join(item[f"{STEM}_outcomes"] for item in items)
    totals = metrics[STEM].result.statistics.ragged["labels"]
    for word, name in (("matched", "tp"), ("missed", "fn"), ("false", "fp")):
        numbers = re.findall(rf"(\d+) {word}", outcomes)
        assert sum(map(int, numbers)) == totals[name].sum() > 0
    assert "segments_info" not in cli(capsys, "report", "runs/found", "--detailed")
    Path("found").rename("elsewhere")
    cli(capsys, *words, "--gt", "gt.json", "--pred-folder", "elsewhere", "--name", "again")
    assert "pass --pred-folder DIR" in cli(capsys, *words, "--gt", "gt.json", "--name", "third", code=2)
    message = cli(capsys, *words, "--gt", "gt", code=2)
    assert "gt is a folder; --gt is a COCO panoptic file here" in message
    others = ["run", "object_detection", "--gt", "gt.json", "--data", "found.json", "--gt-folder", "gt"]
    assert "--gt-folder is an option of panoptic" in cli(capsys, *others, code=2)


def test_files_of_other_kinds_are_named(workplace, capsys):
    for name, side in zip(("gt", "found"), random_images(2, images=1), strict=True):
        write(Path(f"{name}.json"), dict(enumerate(side)))
    coco_truths()
    data = ["--data", "found.json"]
    for words, message in (
        (
            ["object_detection", "--gt", "gt.json"],
            "has no 'id'; it is a panoptic file: run panoptic_segmentation",
        ),
        (["panoptic_segmentation", "--gt", "instances.json"], "has no 'isthing'; a panoptic file has it"),
        (
            ["semantic_segmentation", "--gt", "gt.json", "--gt-format", "panoptic"],
            "--gt-format panoptic gives panoptic maps, but the metrics compare label maps",
        ),
    ):
        assert message in cli(capsys, "run", *words, *data, "--quiet", code=2)
    table = ["run", "panoptic_segmentation", "--gt", "gt.json", "--data", "found.csv"]
    assert "found.csv is a table: predictions are a COCO panoptic file" in cli(capsys, *table, code=2)
