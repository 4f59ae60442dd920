"""Outlines and masks of detections: polygons around the middle of boxes, and their compressed run lengths."""

import json
from typing import Any

import numpy as np

SIDE = 640
"""Pixels of the images on both sides."""
_BLOCK = 2_000
"""Masks that are compressed together."""


def polygons(boxes: Any, seed: int) -> list[list[float]]:
    """One outline of 12 to 29 points per box (x, y, width, height), as COCO's x, y, x, y, ..."""
    rng = np.random.default_rng(seed)
    found = []
    for (x, y, width, height), points in zip(boxes.tolist(), rng.integers(12, 30, len(boxes)), strict=True):
        turns = (np.arange(points) + 0.8 * rng.random(points)) * (2 * np.pi / points)
        reach = rng.uniform(0.75, 1, points) / 2
        outline = np.stack(
            [x + width * (0.5 + reach * np.cos(turns)), y + height * (0.5 + reach * np.sin(turns))], axis=1
        )
        found.append(outline.clip(0, SIDE).round(2).ravel().tolist())
    return found


def compressed_masks(outlines: list[list[float]]) -> list[dict[str, Any]]:
    """The masks of outlines as COCO's compressed run lengths."""
    from thresher.datasets._coco_masks import Shapes
    from thresher.kernels.detection.run_length_texts import compressed

    masks: list[dict[str, Any]] = []
    for start in range(0, len(outlines), _BLOCK):
        texts = [json.dumps([ring]).encode() for ring in outlines[start : start + _BLOCK]]
        ends = np.cumsum([len(text) for text in texts])
        spans = np.stack([ends - [len(text) for text in texts], ends], axis=1)
        drawn = Shapes(b"".join(texts), spans).masks([(SIDE, SIDE)], np.zeros(len(texts), np.int64))
        counts = compressed([mask.counts for mask in drawn])
        masks += [{"size": [SIDE, SIDE], "counts": text.decode()} for text in counts]
    return masks


def with_masks(annotations: list[dict[str, Any]], results: list[dict[str, Any]]) -> None:
    """Give annotations polygons, and results masks instead of their boxes."""
    truths = polygons(np.array([row["bbox"] for row in annotations]), 1)
    for row, outline in zip(annotations, truths, strict=True):
        row["segmentation"] = [outline]
    found = compressed_masks(polygons(np.array([row.pop("bbox") for row in results]), 2))
    for row, mask in zip(results, found, strict=True):
        row["segmentation"] = mask
