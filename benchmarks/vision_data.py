"""Random data for the vision benchmark: detections like COCO's validation set, scores, label maps."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

LABELS = 80
SIZES = np.array([(640, 480), (480, 640), (640, 427), (500, 375), (612, 612)])
TRUTHS, DETECTIONS = 7.2, 50.0
"""True and predicted objects per image, on average."""


def write_detections(folder: Path, images: int) -> None:
    """Columns of true and predicted boxes (x, y, width, height), as `detections.npz`.

    Images hold few of many labels; some objects are missed, others detected repeatedly or with shifted boxes;
    the other predictions are at random places.
    """
    rng = np.random.default_rng(7)
    rarity = 1 / np.arange(1, LABELS + 1) ** 0.9
    counts = np.minimum(rng.lognormal(1.55, 0.9, images).round(), 60)
    counts = (counts * TRUTHS / counts.mean() + rng.random(images)).astype(int)
    image = np.repeat(np.arange(images), counts)
    menu = rng.choice(LABELS, (images, 8), p=rarity / rarity.sum())
    width = np.minimum(1 + rng.poisson(1.9, images), 8)
    label = menu[image, (rng.random(len(image)) * width[image]).astype(int)]
    boxes = _boxes(rng, SIZES[rng.integers(0, len(SIZES), images)][image])
    found = _found(rng, image, label, boxes)
    strays = max(0, int(images * DETECTIONS) - len(found["image"]))
    stray_image = rng.integers(0, images, strays)
    stray = {
        "image": stray_image,
        "label": menu[stray_image, rng.integers(0, 8, strays)],
        "box": _boxes(rng, SIZES[rng.integers(0, len(SIZES), strays)]),
        "score": rng.beta(1, 9, strays),
    }
    every = {name: np.concatenate([found[name], stray[name]]) for name in found}
    order = np.argsort(every["image"], kind="stable")
    columns = {f"found_{name}": each[order] for name, each in every.items()}
    columns["found_score"] = columns["found_score"].clip(0.001, 0.999).round(6)
    np.savez(folder / "detections.npz", images=images, image=image, label=label, box=boxes, **columns)


def _boxes(rng: np.random.Generator, sizes: Any) -> Any:
    scale = np.exp(rng.normal(-2.0, 0.95, len(sizes))).clip(0.015, 0.9)
    shape = np.exp(rng.normal(0, 0.45, (len(sizes), 1))) ** np.array([1, -1])
    sides = (sizes * scale[:, None] * shape).clip(4, sizes * 0.98)
    return np.concatenate([rng.random(sides.shape) * (sizes - sides), sides], axis=1).round(2)


def _found(rng: np.random.Generator, image: Any, label: Any, boxes: Any) -> dict[str, Any]:
    """Predictions of true objects."""
    times = np.where(rng.random(len(image)) < 0.1, 0, 1 + rng.poisson(1.2, len(image)))
    rows = np.repeat(np.arange(len(image)), times)
    first = np.concatenate([[True], rows[1:] != rows[:-1]])
    off = np.abs(rng.normal(0, np.where(first, 0.05, 0.16)))
    sides = boxes[rows, 2:] * np.exp(rng.normal(0, 1, (len(rows), 2)) * off[:, None])
    centres = (
        boxes[rows, :2] + boxes[rows, 2:] / 2 + rng.normal(0, 1, sides.shape) * off[:, None] * boxes[rows, 2:]
    )
    right = rng.random(len(rows)) < 0.88
    sure, unsure = rng.beta(5, 2, len(rows)) * (1 - 2.2 * off), rng.beta(1.5, 5, len(rows)) * (1 - off)
    return {
        "image": image[rows],
        "label": np.where(right, label[rows], rng.integers(0, LABELS, len(rows))),
        "box": np.concatenate([centres - sides / 2, sides], axis=1).round(2),
        "score": np.where(first, sure, unsure),
    }


def scores(items: int, labels: int) -> tuple[Any, Any]:
    """True labels, and scores of all labels that add up to 1 (32-bit)."""
    rng = np.random.default_rng(0)
    truths = rng.integers(0, labels, items)
    matrix = rng.random((items, labels), dtype=np.float32) ** 4
    matrix[np.arange(items), truths] += rng.random(items, dtype=np.float32) * np.float32(0.9)
    matrix /= matrix.sum(axis=1, keepdims=True)
    return truths, matrix


def masks(images: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """Per image 50 predicted and 8 true masks of 480 x 640 pixels: ellipses with ragged borders."""
    rng = np.random.default_rng(0)
    rows, columns = np.ogrid[:480, :640]

    def ellipse() -> Any:
        height, width = np.exp(rng.normal(3.8, 0.6, 2))
        distance = ((rows - rng.integers(480)) / height) ** 2 + ((columns - rng.integers(640)) / width) ** 2
        return np.asfortranarray(distance < rng.uniform(0.9, 1.1, 640), dtype=np.uint8)

    for _ in range(images):
        yield [ellipse() for _ in range(50)], [ellipse() for _ in range(8)]


def label_maps(images: int, labels: int) -> list[tuple[Any, Any]]:
    """Pairs of true and predicted label maps of 1024 x 1024 pixels; eight distinct ones in turn."""
    rng = np.random.default_rng(0)
    pairs = []
    for _ in range(min(images, 8)):
        truth = np.kron(rng.integers(0, labels, (32, 32)).astype(np.uint8), np.ones((32, 32), np.uint8))
        noisy = rng.random(truth.shape) < 0.15
        found = np.where(noisy, rng.integers(0, labels, truth.shape).astype(np.uint8), truth)
        pairs.append((truth, np.roll(found, 5, axis=1)))
    return [pairs[at % len(pairs)] for at in range(images)]
