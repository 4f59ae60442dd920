"""Processor seconds of all intervals of an object detection report, with native kernels and with numpy.

    python benchmarks/detection_intervals.py [--images 5000] [--repeats 3]

The detections are those of `benchmarks/vision.py`. Each way runs in a process of its own; values, standard
errors and limits must be equal to the last bit.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import vision_data
import vision_sides

KERNELS = ("native", "numpy")


def results(folder: Path) -> list[Any]:
    """The results of the recipe's metrics."""
    from thresher.components import detection as components

    build, _ = vision_sides.thresher_detection("coco")
    matches = components.DetectionMatcher().run(**build(folder))["matches"]
    metrics = (
        components.DetectionCocoEvaluator(),
        components.DetectionErrorEvaluator(matching="coco"),
        components.DetectionF1Evaluator(matching="coco"),
        components.DetectionConfusionMatrixEvaluator(matching="coco"),
        components.DetectionPrecisionRecallCurveEvaluator(),
    )
    return [metric.run(matches=matches)["result"] for metric in metrics]


def measure(folder: Path, repeats: int) -> None:
    """In a separate process: print the seconds and the estimates as JSON; the median of fresh results."""
    from thresher.kernels.inference import Target, estimate

    taken, spent, estimates = [], [], {}
    for _ in range(repeats + 1):  # the first one imports
        whole = results(folder)
        start, busy = time.perf_counter(), time.process_time()
        for result in whole:
            for measure in result.measures:
                of = estimate(Target(result, measure.name))
                limits = of.interval and (of.interval.low, of.interval.high)
                estimates[measure.name] = (of.value, of.standard_error, limits)
        taken.append(time.perf_counter() - start)
        spent.append(time.process_time() - busy)
    seconds = {"taken": float(np.median(taken[1:])), "spent": float(np.median(spent[1:]))}
    print(json.dumps({**seconds, "estimates": estimates}))


def of_kernels(folder: Path, repeats: int, kernels: str) -> dict[str, Any]:
    """Seconds, processor seconds and estimates with some kernels; empty for those that are installed."""
    command = [sys.executable, __file__, "--folder", str(folder), "--repeats", str(repeats)]
    environment = {**os.environ, "THRESHER_KERNELS": kernels}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)  # noqa: S603  # this script
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def main() -> None:
    """Print one line per way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.folder:
        measure(options.folder, options.repeats)
        return
    with tempfile.TemporaryDirectory() as name:
        vision_data.write_detections(Path(name), options.images)
        printed = {kernels: of_kernels(Path(name), options.repeats, kernels) for kernels in KERNELS}
    equal = printed["native"]["estimates"] == printed["numpy"]["estimates"]
    print(f"{len(printed['numpy']['estimates'])} measures of {options.images} images, equal: {equal}")
    print(f"{'kernels':<10}{'seconds':>9}{'processor s':>13}{'ratio':>8}")
    for kernels, facts in printed.items():
        ratio = printed["numpy"]["spent"] / facts["spent"]
        print(f"{kernels:<10}{facts['taken']:>9.2f}{facts['spent']:>13.2f}{ratio:>7.1f}x")
    if not equal:
        sys.exit("the estimates differ")


if __name__ == "__main__":
    main()
