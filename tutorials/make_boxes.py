"""Make the data of tutorial 6: boxes on 80 invented pictures, and what two invented detectors find.

    python tutorials/make_boxes.py

Drawn at random with a fixed seed; no picture exists. `careful` places its boxes well and says nothing when in
doubt, above all of small things; `eager` finds more, places worse, and mistakes pears for apples.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "data" / "boxes"
LABELS = ("apple", "pear", "plum")
APPLE, PEAR = 1, 2
SIDE, IMAGES = 480, 80
Box = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Detector:
    """How a detector errs.

    Attributes:
        found: chance that it finds an object of ordinary size; a small one has `found_small`.
        found_small: the same for objects below 32 x 32.
        jitter: how far edges are off, as a share of the box.
        swapped: chance that a pear is taken for an apple.
        invented: boxes of nothing, on average in a picture.
    """

    found: float
    found_small: float
    jitter: float
    swapped: float
    invented: float


DETECTORS = {
    "careful": Detector(found=0.88, found_small=0.45, jitter=0.04, swapped=0.02, invented=0.3),
    "eager": Detector(found=0.95, found_small=0.8, jitter=0.09, swapped=0.2, invented=1.6),
}


def truths(draw: np.random.Generator) -> list[dict[str, Any]]:
    """True boxes, two to six in a picture, a third of them small."""
    rows: list[dict[str, Any]] = []
    for image in range(1, IMAGES + 1):
        for _ in range(int(draw.integers(2, 7))):
            low, high = (12, 31) if draw.random() < 1 / 3 else (40, 150)
            width, height = draw.uniform(low, high, 2)
            box = [*draw.uniform(0, SIDE - np.array([width, height])), width, height]
            label = int(draw.choice([1, 2, 3], p=[0.5, 0.3, 0.2]))
            rows.append(_row(len(rows) + 1, image, label, np.array(box)) | {"iscrowd": 0})
    return rows


def detections(
    detector: Detector, objects: list[dict[str, Any]], draw: np.random.Generator
) -> list[dict[str, Any]]:
    """What a detector says of the true objects, and of nothing."""
    rows = []
    for each in objects:
        box = np.array(each["bbox"])
        small = box[2] * box[3] < 32**2
        if draw.random() < (detector.found_small if small else detector.found):
            moved = box + draw.normal(0, detector.jitter, 4) * box[[2, 3, 2, 3]]
            label = (
                1 if each["category_id"] == PEAR and draw.random() < detector.swapped else each["category_id"]
            )
            rows.append(_found(each["image_id"], label, moved, draw.beta(6, 2)))
    for image in range(1, IMAGES + 1):
        for _ in range(int(draw.poisson(detector.invented))):
            box = np.array([*draw.uniform(0, SIDE - 80, 2), *draw.uniform(15, 80, 2)])
            rows.append(_found(image, int(draw.integers(1, 4)), box, draw.beta(3, 4)))
    return rows


def _row(number: int, image: int, label: int, box: Box) -> dict[str, Any]:
    told = [round(float(edge), 1) for edge in box]
    return {"id": number, "image_id": image, "category_id": label, "bbox": told, "area": told[2] * told[3]}


def _found(image: int, label: int, box: Box, score: float) -> dict[str, Any]:
    told = [round(float(edge), 1) for edge in np.maximum(box, 1)]
    return {"image_id": image, "category_id": label, "bbox": told, "score": round(float(score), 3)}


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(6)
    objects = truths(draw)
    images = [
        {"id": image, "file_name": f"{image}.jpg", "width": SIDE, "height": SIDE}
        for image in range(1, IMAGES + 1)
    ]
    categories = [{"id": number, "name": label} for number, label in enumerate(LABELS, start=1)]
    truth = {"images": images, "annotations": objects, "categories": categories}
    _write("annotations", truth)
    for name, detector in DETECTORS.items():
        _write(name, detections(detector, objects, draw))


def _write(name: str, data: Any) -> None:
    (FOLDER / f"{name}.json").write_text(json.dumps(data, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
