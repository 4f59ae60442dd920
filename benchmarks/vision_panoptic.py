"""Panoptic quality of COCO's files, for the vision benchmark."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from vision_sides import Sides

THINGS, CATEGORIES = 80, 133
HEIGHT, WIDTH = 480, 640


def write_files(folder: Path, images: int) -> tuple[Path, Path]:
    """True and predicted files of 480 x 640 pixels: two regions of stuff and nine ragged ellipses an image.

    The predicted maps are the true ones, moved by a few pixels; a tenth of their labels differ.
    """
    from PIL import Image

    rng = np.random.default_rng(0)
    categories = [
        {"id": key, "name": f"c{key}", "isthing": int(key <= THINGS)} for key in range(1, CATEGORIES + 1)
    ]
    rows: dict[str, list[Any]] = {"gt": [], "found": []}
    for name in rows:
        (folder / name).mkdir(exist_ok=True)
    for image in range(images):
        truth = _map(rng)
        labels = {key: int(rng.integers(1, CATEGORIES + 1)) for key in np.unique(truth).tolist()}
        moved = np.roll(truth, rng.integers(-3, 4, 2), (0, 1))
        for name, ids in (("gt", truth), ("found", moved)):
            colours = np.stack([ids & 255, ids >> 8 & 255, ids >> 16], axis=-1).astype(np.uint8)
            Image.fromarray(colours).save(folder / name / f"{image}.png")
            counts = zip(*map(np.ndarray.tolist, np.unique(ids, return_counts=True)), strict=True)
            infos = [
                {"id": key, "category_id": labels[key], "iscrowd": 0, "area": area} for key, area in counts
            ]
            for info in infos if name == "found" else ():
                info["category_id"] = info["category_id"] % CATEGORIES + int(rng.random() < 0.1) or 1
            rows[name].append({"image_id": image, "file_name": f"{image}.png", "segments_info": infos})
    listed = [{"id": image, "file_name": f"{image}.jpg"} for image in range(images)]
    for name, annotations in rows.items():
        content = {"images": listed, "annotations": annotations, "categories": categories}
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder / "gt.json", folder / "found.json"


def _map(rng: np.random.Generator) -> Any:
    ids = rng.choice(1 << 24, 11, replace=False) + 1
    rows, columns = np.ogrid[:HEIGHT, :WIDTH]
    pixels = np.where(rows < rng.integers(HEIGHT) + 0 * columns, ids[0], ids[1])
    for key in ids[2:]:
        high, wide = np.exp(rng.normal(4, 0.6, 2))
        distance = ((rows - rng.integers(HEIGHT)) / high) ** 2 + ((columns - rng.integers(WIDTH)) / wide) ** 2
        pixels[distance < rng.uniform(0.95, 1.05, (HEIGHT, 1))] = key
    return pixels & 0xFFFFFF | 1


def thresher_panoptic(images: int) -> Sides:
    """From the files to the five measures; freed memory is reused, as the command line does."""
    from thresher.components.segmentation import SegmentationPanopticQualityEvaluator
    from thresher.datasets import read_coco_panoptic
    from thresher.freed_memory import reuse_freed_memory

    reuse_freed_memory()

    def evaluate(built: Any) -> dict[str, float]:
        data = read_coco_panoptic(*built)
        columns = {name: data.column(name) for name in ("ground_truths", "predictions")}
        result = SegmentationPanopticQualityEvaluator().run(**columns)["result"]
        return {"pq": result.score, "things": result.value("segmentation_panoptic_quality_things")}

    return lambda folder: write_files(folder, images), evaluate


def hotcoco_panoptic(images: int) -> Sides:
    """The same with hotcoco."""
    from hotcoco.panoptic import PanopticEval

    def evaluate(built: Any) -> dict[str, float]:
        evaluation = PanopticEval(*map(str, built))
        evaluation.evaluate()
        values = evaluation.results()
        return {"pq": values["All"]["pq"], "things": values["Things"]["pq"]}

    return lambda folder: write_files(folder, images), evaluate
