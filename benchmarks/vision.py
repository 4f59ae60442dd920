"""Classification, detection and segmentation of Thresher and its peers: time, memory and values.

    python benchmarks/vision.py [--only TASK,TASK,...] [--peer-python PATH ...]

The tasks are coco, valor, labels, masks, keypoints, keypoint-files, pixels and panoptic. Each side
runs in a process of its own: `build` makes the package's own input of numpy columns, `evaluate` is all that
follows, the median of `--repeats` runs, by the clock and in processor time. A peer that is not installed is
left out; each `--peer-python` names another interpreter to look for it in (valor-lite's versions need one
each).
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import vision_data
import vision_keypoints as keypoints
import vision_panoptic as panoptic
import vision_sides as sides

from processes import peak_megabytes

ITEMS, LABELS, MAPS, MAP_LABELS = 1_000_000, 100, 500, 150
MASK_IMAGES, POSE_IMAGES = 60, 5000
PANOPTIC_IMAGES = 300

TASKS: dict[str, dict[str, tuple[str, Callable[[], sides.Sides]]]] = {
    "coco": {
        "thresher": ("thresher", lambda: sides.thresher_detection("coco")),
        "pycocotools": ("pycocotools", lambda: sides.coco_api("pycocotools")),
        "faster-coco-eval": ("faster_coco_eval", lambda: sides.coco_api("faster_coco_eval")),
        "torchmetrics (faster-coco-eval)": ("torchmetrics", sides.torchmetrics_detection),
        "hotcoco": ("hotcoco", lambda: sides.coco_api("hotcoco")),
        "ultrafast-pycocotools": ("ultrafast_pycocotools", lambda: sides.coco_api("ultrafast_pycocotools")),
    },
    "valor": {
        "thresher valor-code": ("thresher", lambda: sides.thresher_detection("valor-code")),
        "thresher valor": ("thresher", lambda: sides.thresher_detection("valor")),
        "valor-lite 0.33": ("valor_lite==0.33", sides.valor_lite),
        "valor-lite 0.39": ("valor_lite==0.39", sides.valor_lite),
    },
    "labels": {
        "thresher": ("thresher", lambda: sides.thresher_classification(ITEMS, LABELS)),
        "scikit-learn": ("sklearn", lambda: sides.scikit_learn(ITEMS, LABELS)),
        "torchmetrics": ("torchmetrics", lambda: sides.torchmetrics_classification(ITEMS, LABELS)),
    },
    "masks": {
        "thresher": ("thresher", lambda: sides.thresher_masks(MASK_IMAGES)),
        "pycocotools": ("pycocotools", lambda: sides.mask_api("pycocotools", MASK_IMAGES)),
        "hotcoco": ("hotcoco", lambda: sides.mask_api("hotcoco", MASK_IMAGES)),
        "ultrafast-pycocotools": (
            "ultrafast_pycocotools",
            lambda: sides.mask_api("ultrafast_pycocotools", MASK_IMAGES),
        ),
    },
    "keypoints": {
        "thresher": ("thresher", lambda: keypoints.thresher_keypoints(POSE_IMAGES)),
        "pycocotools": (
            "pycocotools",
            lambda: keypoints.keypoint_api("pycocotools", POSE_IMAGES // 10),
        ),
        "hotcoco": ("hotcoco", lambda: keypoints.keypoint_api("hotcoco", POSE_IMAGES)),
    },
    "keypoint-files": {
        "thresher": ("thresher", lambda: keypoints.thresher_keypoint_files(POSE_IMAGES)),
        "pycocotools": (
            "pycocotools",
            lambda: keypoints.keypoint_api("pycocotools", POSE_IMAGES // 10, from_files=True),
        ),
        "hotcoco": ("hotcoco", lambda: keypoints.keypoint_api("hotcoco", POSE_IMAGES, from_files=True)),
    },
    "pixels": {
        "thresher": ("thresher", lambda: sides.thresher_pixels(MAPS, MAP_LABELS)),
        "scikit-learn": ("sklearn", lambda: sides.scikit_learn_pixels(MAPS // 10, MAP_LABELS)),
    },
    "panoptic": {
        "thresher": ("thresher", lambda: panoptic.thresher_panoptic(PANOPTIC_IMAGES)),
        "hotcoco": ("hotcoco", lambda: panoptic.hotcoco_panoptic(PANOPTIC_IMAGES)),
    },
}

TENTHS = {("pixels", "scikit-learn"), ("keypoints", "pycocotools"), ("keypoint-files", "pycocotools")}
"""Slow sides, which get a tenth of the images."""


def shrink(times: int) -> None:
    """Divide the number of items, images with masks, label maps and panoptic maps."""
    global ITEMS, MAPS, MASK_IMAGES, PANOPTIC_IMAGES, POSE_IMAGES  # the sizes of the tasks
    sizes = (ITEMS, MAPS, MASK_IMAGES, PANOPTIC_IMAGES, POSE_IMAGES)
    ITEMS, MAPS, MASK_IMAGES, PANOPTIC_IMAGES, POSE_IMAGES = (max(size // times, 10) for size in sizes)


def installed(package: str) -> bool:
    """Whether this interpreter has a package, `name` or `name==version's start`."""
    name, _, wanted = package.partition("==")
    if importlib.util.find_spec(name) is None:
        return False
    return version(name.replace("_", "-")).startswith(wanted) if wanted else True


def measure(task: str, side: str, folder: Path, repeats: int) -> None:
    """In a separate process: print time and memory as JSON, or nothing if the package is not installed."""
    package, make = TASKS[task][side]
    if not installed(package):
        return
    build, evaluate = make()
    start = time.perf_counter()
    built = build(folder)
    told: dict[str, Any] = {"build": time.perf_counter() - start}
    before = peak_megabytes()
    took, spent = [], []
    for _ in range(repeats):
        start, busy = time.perf_counter(), time.process_time()
        told["values"] = evaluate(built)
        took.append(time.perf_counter() - start)
        spent.append(time.process_time() - busy)
    seconds = {"evaluate": float(np.median(took)), "processor": float(np.median(spent))}
    print(json.dumps({**told, **seconds, "before": before, "peak": peak_megabytes()}))


def measured(task: str, side: str, options: argparse.Namespace, folder: Path) -> dict[str, Any] | None:
    """Measure one side with the first interpreter that has it."""
    for python in [sys.executable, *options.peer_python]:
        command = [python, __file__, "--side", task, side, "--folder", str(folder)]
        command += ["--repeats", str(options.repeats), "--shrink", str(options.shrink)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603  # ourselves
        if done.stdout.strip():
            found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
            return found
    return None


def table(task: str, options: argparse.Namespace, folder: Path) -> None:
    """Print one line per side; ratios are relative to the first side, Thresher."""
    print(f"\n{task}\n{'side':<33}{'build s':>9}{'evaluate s':>12}{'ratio':>8}", end="")
    print(f"{'processor s':>13}{'ratio':>8}{'peak MB':>9}  values")
    ours: dict[str, Any] | None = None
    for side in TASKS[task]:
        took = measured(task, side, options, folder)
        if took is None:
            print(f"{side:<33} is not installed: left out")
            continue
        scale = 10 if (task, side) in TENTHS else 1
        took |= {name: took[name] * scale for name in ("evaluate", "processor")}
        ours = ours or took
        values = ", ".join(f"{name} {value:.9f}" for name, value in took["values"].items())
        times = f"{took['build']:>9.2f}{took['evaluate']:>12.3f}{took['evaluate'] / ours['evaluate']:>7.1f}x"
        times += f"{took['processor']:>13.3f}{took['processor'] / ours['processor']:>7.1f}x"
        print(f"{side:<33}{times}{took['peak']:>9.0f}  {values}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default=",".join(TASKS), help="tasks, separated by commas")
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--shrink", type=int, default=1, help="divide items, masks and label maps by this")
    parser.add_argument("--peer-python", action="append", default=[], metavar="PATH")
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    shrink(options.shrink)
    if options.side:
        measure(*options.side, options.folder, options.repeats)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        vision_data.write_detections(folder, options.images)
        data = sides.detections(folder)
        boxes = len(data["image"]), len(data["found_image"])
        print(f"{options.images} images, {boxes[0]} true and {boxes[1]} predicted boxes")
        for task in options.only.split(","):
            table(task, options, folder)


if __name__ == "__main__":
    main()
