"""The golden cases of classification, detection and segmentation, in the shapes that components take."""

import json
from pathlib import Path

import numpy as np

from thresher.components.detection import DetectionMatcher, Detections, Polygons, Raster
from thresher.results import Label

_FOLDER = Path(__file__).parent / "golden" / "vision"


def golden(name):
    return json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def classification_inputs(case):
    """Items without an annotation are listed too: [] has no true label, {} no prediction."""
    truths = {image["id"]: [] for image in case["images"]}
    scores = {image["id"]: {} for image in case["images"]}
    for annotation in case["groundtruths"]:
        truths[annotation["image"]] += [_label(label) for label in annotation["labels"]]
    for annotation in case["predictions"]:
        scores[annotation["image"]] |= {_label(label): label["score"] for label in annotation["labels"]}
    return {"ground_truths": list(truths.values()), "predictions": list(scores.values())}


def by_label(detail, column):
    """A table's column by label, written as in the golden files."""
    return {f"{row['key']}:{row['label']}": row[column] for row in detail.rows()}


def by_threshold(detail, *columns):
    """A curve as label -> threshold as text -> the wanted columns."""
    curve = {}
    for row in detail.rows():
        points = curve.setdefault(f"{row['key']}:{row['label']}", {})
        points[f"{row['threshold']:g}"] = {column: row[column] for column in columns}
    return curve


def _label(label):
    return Label(label["key"], label["value"])


def detection_inputs(case):
    """One entry per image; an annotation with several labels stands once for each."""
    places = {image["id"]: at for at, image in enumerate(case["images"])}
    sides = {}
    for side, socket in (("groundtruths", "ground_truths"), ("predictions", "predictions")):
        rows = [[] for _ in places]
        for annotation in case[side]:
            for label in annotation["labels"]:
                rows[places[annotation["image"]]].append((annotation, label))
        sides[socket] = [_detections(image) for image in rows]
    return sides


def pixel_inputs(case):
    """Masks with labels, and the size of each image."""
    sides = detection_inputs(case)
    for side in sides.values():
        for at, image in enumerate(case["images"]):
            side[at] = {**side[at].to_dict(), "size": [image["height"], image["width"]]}
    return sides


def _detections(rows):
    scored = any("score" in label for _, label in rows)
    return Detections.of(
        [_label(label) for _, label in rows],
        geometries=[_geometry(annotation["geometry"]) for annotation, _ in rows],
        scores=[label["score"] for _, label in rows] if scored else None,
        crowd=[bool(annotation.get("iscrowd")) for annotation, _ in rows],
        ids=[annotation["id"] for annotation, _ in rows],
    )


def _geometry(told):
    if told["type"] == "box":
        return told["xyxy"]
    if told["type"] == "polygon":
        return Polygons.of(told["rings"])
    if told["type"] == "multipolygon":
        return Polygons.of(*told["polygons"])
    return Raster.from_rle(told["size"], told["counts"])


def matched_images(*images):
    """Each image: true (label, box) pairs and predicted (label, box, score) triples; None for no entry."""
    truths = [None if image is None else Detections.of(*_columns(image[0], 2)) for image in images]
    found = [None if image is None else Detections.of(*_columns(image[1], 3)) for image in images]
    return DetectionMatcher().run(predictions=found, ground_truths=truths)["matches"]


def _columns(rows, width):
    return [list(column) for column in zip(*rows, strict=True)] or [[], np.zeros((0, 4)), *[[]] * (width - 2)]
