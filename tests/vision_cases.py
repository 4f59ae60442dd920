"""The golden cases of classification, detection and segmentation, in the shapes that components take."""

import json
from pathlib import Path

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
