"""Panoptic maps: golden cases, random ones, files of them, and a plain implementation over sets of pixels."""

import json
from pathlib import Path

import numpy as np
from PIL import Image

_FOLDER = Path(__file__).parent / "golden/vision2"
STEM = "segmentation_panoptic_quality"
THINGS = ["cat", "dog"]
LABELS = [*THINGS, "road", "sky"]
CATEGORIES = [
    {"id": 10 * at, "name": label, "isthing": int(label in THINGS)}
    for at, label in enumerate(LABELS, start=1)
]


def golden(name):
    return json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def golden_inputs(case):
    """Columns with the categories' ids as labels."""
    things = {category["id"]: category["isthing"] for category in case["categories"]}

    def side(entry):
        rows = [{**row, "isthing": things.get(row["category_id"])} for row in entry["segments_info"]]
        return {"segmentation": entry["map"], "segments_info": rows}

    columns = {"ground_truths": "gt", "predictions": "pred"}
    return {name: [side(image[key]) for image in case["images"]] for name, key in columns.items()}


def random_entry(rng, shape=(9, 14), segments=6, crowds=0.0):
    """Overlapping rectangles of random ids and labels; what nothing covers has no segment."""
    ids = np.zeros(shape, np.int64)
    for _ in range(segments):
        top, left = (int(rng.integers(0, side - 2)) for side in shape)
        high, wide = (int(rng.integers(2, side)) for side in shape)
        ids[top : top + high, left : left + wide] = rng.integers(1, 1 << 24)
    rows = []
    for key in np.setdiff1d(ids, 0).tolist():
        label = LABELS[rng.integers(len(LABELS))]
        row = {"id": key, "label": label, "isthing": int(label in THINGS), "area": int((ids == key).sum())}
        rows.append(row | {"iscrowd": int(rng.random() < crowds)})
    return {"segmentation": ids, "segments_info": rows}


def near(rng, truth):
    """A prediction: the true map shifted, with some labels and segments changed."""
    ids = np.roll(truth["segmentation"], rng.integers(-1, 2, 2), (0, 1))
    dropped = [row["id"] for row in truth["segments_info"] if rng.random() < 0.1]
    ids = np.where(np.isin(ids, dropped), 0, ids)
    rows = [dict(row) for row in truth["segments_info"] if (ids == row["id"]).any()]
    for row in rows:
        if rng.random() < 0.15:
            row["label"] = LABELS[rng.integers(len(LABELS))]
            row["isthing"] = int(row["label"] in THINGS)
    return {"segmentation": ids, "segments_info": rows}


def random_images(seed, images=5, **options):
    rng = np.random.default_rng(seed)
    truths = [random_entry(rng, crowds=0.2, **options) for _ in range(images)]
    found = [near(rng, truth) if rng.random() < 0.8 else random_entry(rng, **options) for truth in truths]
    return truths, found


def merged(entry):
    """The entry with one segment per label of stuff, crowds aside."""
    ids, rows, first = entry["segmentation"].copy(), [], {}
    for row in entry["segments_info"]:
        if row["isthing"] or row.get("iscrowd"):
            rows.append(row)
        elif row["label"] in first:
            ids[ids == row["id"]] = first[row["label"]]["id"]
        else:
            first[row["label"]] = row
            rows.append(row)
    return {"segmentation": ids, "segments_info": rows}


def plain_counts(truth, found, crowds="last"):
    """Label -> sum of IoU, TP, FP, FN of one image, by sets of pixels, as the paper defines them."""
    pixels = [
        {row["id"]: set(np.flatnonzero(side["segmentation"].ravel() == row["id"]).tolist()) for row in rows}
        for side, rows in ((truth, truth["segments_info"]), (found, found["segments_info"]))
    ]
    void = set(range(truth["segmentation"].size)).difference(*pixels[0].values())
    counts = {label: [0.0, 0, 0, 0] for label in LABELS}
    matched = set()
    for row in truth["segments_info"]:
        if row.get("iscrowd"):
            continue
        hit = False
        for other in found["segments_info"]:
            mine, theirs = pixels[0][row["id"]], pixels[1][other["id"]]
            if other["label"] == row["label"] and 2 * len(mine & theirs) > len(
                (mine | theirs) - (void - mine)
            ):
                counts[row["label"]][0] += len(mine & theirs) / len((mine | theirs) - (void - mine))
                counts[row["label"]][1] += 1
                matched.add(other["id"])
                hit = True
        counts[row["label"]][3] += not hit
    for other in found["segments_info"]:
        regions = [
            pixels[0][row["id"]]
            for row in truth["segments_info"]
            if row.get("iscrowd") and row["label"] == other["label"]
        ]
        excused = void.union(*(regions[-1:] if crowds == "last" else regions))
        theirs = pixels[1][other["id"]]
        counts[other["label"]][2] += other["id"] not in matched and 2 * len(theirs & excused) <= len(theirs)
    return counts


def plain_means(images):
    """PQ, SQ and RQ over all labels, things and stuff, from `plain_counts` of all images."""
    sums = {label: np.sum([image[label] for image in images], axis=0) for label in LABELS}
    rows = {}
    for label, (iou, tp, fp, fn) in sums.items():
        if tp + fp + fn:
            below = tp + fp / 2 + fn / 2
            rows[label] = (iou / below, iou / tp if tp else 0.0, tp / below)
    groups = {"all": LABELS, "thing": THINGS, "stuff": LABELS[2:]}
    return {
        name: np.mean([rows[label] for label in labels if label in rows] or [[np.nan] * 3], axis=0)
        for name, labels in groups.items()
    }


def colours(ids):
    parts = np.asarray(ids, np.uint32)[..., None] >> np.array([0, 8, 16], np.uint32)
    return Image.fromarray((parts & 255).astype(np.uint8))


def annotations(entries):
    for image, entry in entries.items():
        rows = [
            {"category_id": 10 * LABELS.index(row["label"]) + 10, **row} for row in entry["segments_info"]
        ]
        infos = [{key: row[key] for key in ("id", "category_id", "iscrowd", "area")} for row in rows]
        yield {"image_id": image, "file_name": f"{image}.png", "segments_info": infos}


def write(path, entries, **changes):
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for image, entry in entries.items():
        colours(entry["segmentation"]).save(folder / f"{image}.png")
    images = [{"id": image, "file_name": f"{image}.jpg", "scene": "day"} for image in entries]
    content = {"images": images, "annotations": list(annotations(entries)), "categories": CATEGORIES}
    path.write_text(json.dumps(content | changes))
    return path
