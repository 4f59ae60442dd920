"""Rows of promised bounds: detection, masks, labels of items and label maps."""

import argparse
from importlib.metadata import version
from pathlib import Path
from typing import Any

import detection_files
import detection_intervals
import vision
from promised import Row, Side, number

SLOW = {"pycocotools", "scikit-learn", "torchmetrics"}
"""Peers that are measured once: they take half a minute or more."""
INSTALLED_BY = {"sklearn": "scikit-learn"}
_FILE_SIDES = [side for side in detection_files.SIDES if side != "compat"]  # which is Thresher as well


def detection(folder: Path, images: int, repeats: int) -> list[Row]:
    """The command on COCO's files, its intervals, and COCO's twelve numbers from files and from columns."""
    detection_files.write_in_process(folder, images)
    command = "python benchmarks/detection_files.py"
    cost, size = detection_files.command_figures(folder, repeats)
    name = f"thresher run object_detection: {images:,} images, all measures and intervals, stored"
    note = f"{number(cost.spent)} s of processor, run of {size:.0f} MB"
    return [
        Row(name, command, "s", Side("Thresher", cost.taken, note), most=2.5),
        Row("Memory of that command", command, "MB", Side("Thresher", cost.peak), most=250),
        Row(
            "COCO's twelve numbers from two JSON files, imports aside",
            command,
            "s",
            *_sides([(side, *_from_files(side, folder, repeats)) for side in _FILE_SIDES]),
            times={"hotcoco": 1.0, "ultrafast-pycocotools": 1.0},
        ),
        _of_task("coco", "COCO's twelve numbers from columns", folder, repeats, most=0.05, hotcoco=4.0),
        _intervals(folder, images, repeats),
    ]


def masks(folder: Path, images: int, repeats: int, shrink: int) -> list[Row]:
    """COCO's twelve numbers of instance masks from files, the command, and overlaps of masks alone."""
    files = folder / "masks"
    files.mkdir(exist_ok=True)
    detection_files.write_in_process(files, images, masks=True)
    command = "python benchmarks/detection_files.py --masks"
    cost, size = detection_files.command_figures(files, repeats, "instance_segmentation")
    note = f"{number(cost.spent)} s of processor, {cost.peak:.0f} MB at most, run of {size:.0f} MB"
    overlaps = f"IoU of {24_000 // shrink:,} pairs of masks in run lengths"
    return [
        Row(
            "COCO's twelve numbers of masks from two JSON files, imports aside",
            command,
            "s",
            *_sides([(side, *_from_files(side, files, repeats, masks=True)) for side in _FILE_SIDES]),
            times={"hotcoco": 1.0},
        ),
        Row(
            f"thresher run instance_segmentation: {images:,} images, all measures and intervals, stored",
            command,
            "s",
            Side("Thresher", cost.taken, note),
        ),
        _of_task("masks", overlaps, folder, repeats, shrink=shrink, hotcoco=1.0),
    ]


def labels(folder: Path, repeats: int, shrink: int) -> list[Row]:
    """Metrics of labels from a matrix of scores."""
    name = (
        f"{vision.ITEMS // shrink:,} x {vision.LABELS} labels: precision, recall, F1, exact ROC areas, curves"
    )
    return [_of_task("labels", name, folder, repeats, shrink=shrink, most=0.7)]


def pixels(folder: Path, repeats: int, shrink: int) -> list[Row]:
    """Mean IoU of label maps, per image."""
    name = f"Mean IoU of label maps, 1024 x 1024 pixels, {vision.MAP_LABELS} labels"
    row = _of_task("pixels", name, folder, repeats, shrink=shrink, most=0.6)
    row.unit = "ms an image"
    for side in (row.ours, *row.peers):
        side.figure = side.figure and side.figure * 1000 / (vision.MAPS // shrink)
    return [row]


def _of_task(
    task: str,
    name: str,
    folder: Path,
    repeats: int,
    *,
    shrink: int = 1,
    most: float | None = None,
    **times: float,
) -> Row:
    """The row of a task of `vision.py`."""
    measured = []
    for side, (package, _) in vision.TASKS[task].items():
        times_over = 1 if side.partition(" ")[0] in SLOW else repeats
        options = argparse.Namespace(repeats=times_over, peer_python=[], shrink=shrink)
        took = vision.measured(task, side, options, folder)
        scale = 10 if (task, side) == ("pixels", "scikit-learn") else 1  # a tenth of the images
        facts = took and (took["evaluate"] * scale, took["processor"] * scale, took["peak"], took["values"])
        measured.append((side, package, facts))
    command = f"python benchmarks/vision.py --only {task}"
    return Row(name, command, "s", *_sides(measured), most=most, times=times)


def _from_files(side: str, folder: Path, repeats: int, *, masks: bool = False) -> tuple[str, Any]:
    facts = detection_files.measured(side, folder, 1 if side in SLOW else repeats, masks=masks)
    return side, facts and (*facts[:3], {str(at): value for at, value in enumerate(facts[3])})


def _sides(measured: list[tuple[str, str, Any]]) -> tuple[Side, list[Side]]:
    """Our side and the others; notes have processor seconds, memory and the largest difference from ours."""
    ours = measured[0][2][3]
    sides = []
    for name, package, facts in measured:
        installed_by = INSTALLED_BY.get(package, package.replace("_", "-"))
        if facts is None:
            sides.append(Side(installed_by, None, missing=f"pip install {installed_by}"))
            continue
        taken, spent, peak, values = facts
        note = f"{number(spent)} s of processor, {peak:.0f} MB at most"
        if package == "sklearn" and "miou" in values:
            note += ", on a tenth of the images"
        elif name != "thresher":
            difference = max(abs(values[key] - ours[key]) for key in values)
            note += f", largest difference {difference:.0e}" if difference else ", equal"
        shown = "Thresher" if name == "thresher" else f"{installed_by} {version(installed_by)}"
        sides.append(Side(shown, taken, note))
    return sides[0], sides[1:]


def _intervals(folder: Path, images: int, repeats: int) -> Row:
    facts = detection_intervals.of_kernels(folder, repeats, "")
    name = f"Intervals of all {len(facts['estimates'])} measures of a report on {images:,} images"
    note = f"{number(facts['spent'])} s of processor"
    command = "python benchmarks/detection_intervals.py"
    return Row(name, command, "s", Side("Thresher", facts["taken"], note), most=0.7)
