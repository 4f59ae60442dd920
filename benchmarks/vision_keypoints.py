"""Poses for the benchmarks of keypoints, and what evaluates them: columns, objects in memory, and files."""

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

JOINTS, PER_IMAGE = 17, 20
Sides = tuple[Callable[[Path], Any], Callable[[Any], dict[str, float]]]


def poses(images: int) -> dict[str, Any]:
    """Two persons an image on average, and 20 predictions of them with errors of several sizes."""
    rng = np.random.default_rng(0)
    persons, found = 2 * images, PER_IMAGE * images
    owners, low = np.sort(rng.integers(0, images, persons)), rng.uniform(0, 400, (persons, 2))
    size, skeleton = np.exp(rng.uniform(3, 5.5, (persons, 2))), rng.uniform(0, 1, (JOINTS, 2))
    points = np.round(low[:, None] + skeleton * size[:, None], 1)
    seen = rng.choice([0, 1, 2], (persons, JOINTS), p=[0.3, 0.2, 0.5])
    near = np.repeat(np.arange(images), PER_IMAGE)
    first, last = (np.searchsorted(owners, near, side) for side in ("left", "right"))
    copied = np.minimum(first + (rng.random(found) * np.maximum(last - first, 1)).astype(int), persons - 1)
    noise = rng.normal(0, 1, (found, JOINTS, 2)) * rng.choice([1, 4, 20, 100], found)[:, None, None]
    return {
        "images": images,
        "true_image": owners,
        "box": np.hstack([low, size]),
        "true_points": np.concatenate([points, seen[..., None]], axis=2),
        "image": near,
        "points": np.concatenate([np.round(points[copied] + noise, 1), np.ones((found, JOINTS, 1))], axis=2),
        "score": np.round(rng.random(found), 5),
    }


def thresher_keypoints(images: int) -> Sides:
    """Thresher on columns."""
    from thresher.components.detection import DetectionColumns, Keypoints

    def build(_: Path) -> Any:
        data = poses(images)
        found, true = Keypoints.of(data["points"]), Keypoints.of(data["true_points"])
        names: dict[str, Any] = {"size": images, "labels": ["person"]}
        near, owners = data["image"], data["true_image"]
        predicted = near, np.zeros_like(near), found.extents(), data["score"]
        truths = owners, np.zeros_like(owners), data["box"]
        return {
            "predictions": DetectionColumns.from_arrays(*predicted, **names, keypoints=found),
            "ground_truths": DetectionColumns.from_arrays(
                *truths, **names, box_format="xywh", keypoints=true
            ),
        }

    return build, _keypoint_numbers


def thresher_keypoint_files(images: int) -> Sides:
    """Thresher from files."""
    from thresher.datasets import read_coco

    def evaluate(built: Any) -> dict[str, float]:
        data = read_coco(*built, geometries="keypoints")
        return _keypoint_numbers({name: data.column(name) for name in ("predictions", "ground_truths")})

    return lambda folder: files(folder, poses(images)), evaluate


def _keypoint_numbers(objects: Any) -> dict[str, float]:
    from thresher.components.detection import DetectionKeypointsEvaluator, DetectionMatcher

    matches = DetectionMatcher(compare_as="keypoints").run(**objects)["matches"]
    result = DetectionKeypointsEvaluator().run(matches=matches)["result"]
    values = {measure.name: result.value(measure.name) for measure in result.measures}
    return {"map": values["detection_keypoints_map"], "mar": values["detection_keypoints_mar"]}


def keypoint_api(package: str, images: int, *, from_files: bool = False) -> Sides:
    """Packages with the interface of pycocotools, which read files: before the clock starts, or after."""
    if package == "pycocotools":
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval
    else:
        from hotcoco import COCO, COCOeval

    def write(folder: Path) -> Any:
        return files(folder, poses(images))

    def read(paths: Any) -> Any:
        truths, results = map(str, paths)
        with contextlib.redirect_stdout(io.StringIO()):
            known = COCO(truths)
            return known, known.load_res(results) if package == "hotcoco" else known.loadRes(results)

    def evaluate(built: Any) -> dict[str, float]:
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation = COCOeval(*built, "keypoints")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return {"map": float(evaluation.stats[0]), "mar": float(evaluation.stats[5])}

    if from_files:
        return write, lambda paths: evaluate(read(paths))
    return lambda folder: read(write(folder)), evaluate


def files(folder: Path, data: dict[str, Any]) -> tuple[Path, Path]:
    """The poses as COCO's files."""
    persons = [
        {"id": at, "image_id": int(image) + 1, "category_id": 1, "iscrowd": 0, "bbox": box.tolist()}
        | {"area": float(box[2] * box[3]), "keypoints": points.ravel().tolist()}
        | {"num_keypoints": int((points[:, 2] > 0).sum())}
        for at, (image, box, points) in enumerate(
            zip(data["true_image"], data["box"], data["true_points"], strict=True), start=1
        )
    ]
    results = [
        {
            "image_id": int(image) + 1,
            "category_id": 1,
            "keypoints": points.ravel().tolist(),
            "score": float(score),
        }
        for image, points, score in zip(data["image"], data["points"], data["score"], strict=True)
    ]
    images = [{"id": at + 1, "width": 640, "height": 640} for at in range(data["images"])]
    content = {"images": images, "annotations": persons, "categories": [{"id": 1, "name": "person"}]}
    paths = folder / "persons.json", folder / "poses.json"
    for path, part in zip(paths, (content, results), strict=True):
        path.write_text(json.dumps(part), encoding="utf-8")
    return paths
