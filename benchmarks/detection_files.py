"""From COCO files to numbers: COCO's twelve against peers, and the command `thresher run object_detection`.

    python benchmarks/detection_files.py [--masks] [--images 5000] [--repeats 3] [--only thresher hotcoco ...]

The detections are those of `benchmarks/vision.py`, as an instances file and a list of results; with `--masks`
true objects have polygons, results compressed run lengths, and the command is `instance_segmentation`. Each
side runs in a process of its own, which imports its package before the clock starts; the command is timed
with its imports, and stores a run. A peer that is not installed is left out.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing import Process
from pathlib import Path
from typing import Any

import numpy as np
import vision_data
import vision_masks
import vision_sides

from processes import Cost, cost, peak_megabytes

TRUTHS, RESULTS = "truths.json", "results.json"
SIDES = ("thresher", "compat", "hotcoco", "ultrafast_pycocotools", "faster_coco_eval", "pycocotools")


def write_files(folder: Path, images: int, *, masks: bool = False) -> None:
    """Write the detections as COCO's files, with masks instead of boxes on request."""
    vision_data.write_detections(folder, images)
    data = vision_sides.detections(folder)
    truths = vision_sides.annotations_of(_rows(data, "image", "label", "box"))
    results = [
        {"image_id": image + 1, "category_id": label + 1, "bbox": box, "score": score}
        for image, label, box, score in _rows(data, "found_image", "found_label", "found_box", "found_score")
    ]
    if masks:
        vision_masks.with_masks(truths, results)
    side = vision_masks.SIDE
    instances = {
        "info": {},
        "images": [{"id": at + 1, "width": side, "height": side} for at in range(images)],
        "annotations": truths,
        "categories": [{"id": at + 1, "name": f"label {at}"} for at in range(vision_data.LABELS)],
    }
    (folder / TRUTHS).write_text(json.dumps(instances), encoding="utf-8")
    (folder / RESULTS).write_text(json.dumps(results), encoding="utf-8")


def _rows(data: dict[str, Any], *names: str) -> Any:
    return zip(
        *(data[name].round(2).tolist() if name.endswith("box") else data[name].tolist() for name in names),
        strict=True,
    )


def thresher_side(*, masks: bool) -> Callable[[Path, Path], list[float]]:
    """Thresher's twelve numbers."""
    from thresher.components.detection import DetectionCocoEvaluator, DetectionMatcher
    from thresher.datasets import read_coco

    def evaluate(truths: Path, results: Path) -> list[float]:
        data = read_coco(truths, results, geometries="masks" if masks else None)
        objects = {name: data.column(name) for name in ("ground_truths", "predictions")}
        matches = DetectionMatcher().run(**objects)["matches"]
        result = DetectionCocoEvaluator().run(matches=matches)["result"]
        return [result.value(measure.name) for measure in result.measures]

    return evaluate


def peer_side(package: str, *, masks: bool) -> Callable[[Path, Path], list[float]]:
    """A peer with the interface of pycocotools, or Thresher's own (`compat`)."""
    if package == "pycocotools":
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval
    elif package == "faster_coco_eval":
        from faster_coco_eval import COCO
        from faster_coco_eval import COCOeval_faster as COCOeval
    elif package == "compat":
        from thresher.compat.coco import COCO, COCOeval
    elif package == "hotcoco":
        from hotcoco import COCO, COCOeval
    else:
        from ultrafast_pycocotools import COCO, COCOeval

    def evaluate(truths: Path, results: Path) -> list[float]:
        with contextlib.redirect_stdout(io.StringIO()):
            known = COCO(str(truths))
            evaluation = COCOeval(known, known.loadRes(str(results)), "segm" if masks else "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return [float(value) for value in evaluation.stats[:12]]

    return evaluate


def measure(side: str, folder: Path, repeats: int, *, masks: bool) -> None:
    """In a separate process: print medians and the numbers as JSON."""
    evaluate = thresher_side(masks=masks) if side == "thresher" else peer_side(side, masks=masks)
    taken, spent, values = [], [], []
    for _ in range(repeats):
        start, busy = time.perf_counter(), time.process_time()
        values = evaluate(folder / TRUTHS, folder / RESULTS)
        taken.append(time.perf_counter() - start)
        spent.append(time.process_time() - busy)
    print(json.dumps([float(np.median(taken)), float(np.median(spent)), peak_megabytes(), values]))


def compare_sides(folder: Path, sides: Sequence[str], repeats: int, *, masks: bool) -> None:
    """Print one line per side; ratios are relative to the first."""
    print(f"{'files to twelve numbers':<26}{'seconds':>9}{'processor s':>13}", end="")
    print(f"{'ratio':>8}{'peak MB':>9}  largest difference")
    ours: list[Any] = []
    for side in sides:
        facts = measured(side, folder, repeats, masks=masks)
        if facts is None:
            print(f"{side:<26} is not installed: left out")
            continue
        taken, spent, peak, values = facts
        ours = ours or [spent, values]
        difference = np.abs(np.subtract(values, ours[1])).max()
        print(
            f"{side:<26}{taken:>9.2f}{spent:>13.2f}{spent / ours[0]:>7.1f}x{peak:>9.0f}  {difference:.1e}",
            flush=True,
        )


def measured(
    side: str, folder: Path, repeats: int, *, masks: bool = False
) -> tuple[float, float, float, list[float]] | None:
    """Seconds, processor seconds, most megabytes and the numbers of one side; None if it is not installed."""
    if side != "compat" and importlib.util.find_spec(side) is None:
        return None
    command = [sys.executable, __file__, "--side", side, "--folder", str(folder), "--repeats", str(repeats)]
    command += ["--masks"] if masks else []
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout  # noqa: S603
    taken, spent, peak, values = json.loads(printed.splitlines()[-1])
    return taken, spent, peak, values


def command_figures(folder: Path, repeats: int, recipe: str = "object_detection") -> tuple[Cost, float]:
    """Medians of the whole command, and the megabytes of the stored run."""
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "thresher", "run", recipe, "--quiet", "--gt", TRUTHS]
    command += ["--data", RESULTS, "--out"]
    # The first one may compile modules, as installing does.
    costs = [cost([*command, f"run{number}"], folder, compiled) for number in range(repeats + 1)][1:]
    size = sum(path.stat().st_size for path in (folder / "run0").rglob("*") if path.is_file())
    return Cost(*np.median(costs, axis=0).tolist()), size / 1e6


def write_in_process(folder: Path, images: int, *, masks: bool = False) -> None:
    """Write the files in a process of its own, whose memory is free afterwards."""
    writing = Process(target=write_files, args=(folder, images), kwargs={"masks": masks})
    writing.start()
    writing.join()


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--masks", action="store_true", help="compare masks instead of boxes")
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=SIDES, default=SIDES, help="default: all")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        measure(options.side, options.folder, options.repeats, masks=options.masks)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_in_process(folder, options.images, masks=options.masks)
        sizes = [(folder / file).stat().st_size / 1e6 for file in (TRUTHS, RESULTS)]
        print(f"{options.images} images, files of {sizes[0]:.1f} and {sizes[1]:.1f} MB\n")
        compare_sides(folder, options.only, options.repeats, masks=options.masks)
        recipe = "instance_segmentation" if options.masks else "object_detection"
        cost, size = command_figures(folder, options.repeats, recipe)
        print(
            f"\nthresher run {recipe}: {cost.taken:.2f} s, {cost.spent:.2f} s of processor, "
            f"{cost.peak:.0f} MB at most, run of {size:.0f} MB"
        )


if __name__ == "__main__":
    main()
