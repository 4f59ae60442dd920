"""Random COCO data sets: ground truth and results, as boxes and as masks."""

import json

import numpy as np
from pycocotools import mask as coco_mask

SIDE = 120


def data_set(seed):
    """Ground truth and results with crowds, equal scores, empty images, and gaps in ids and labels."""
    generator = np.random.default_rng(seed)
    classes = int(generator.choice([1, 2, 5, 20, 80]))
    ids = np.sort(generator.choice(200, classes, replace=False)) + 1
    images = [{"id": int(at) * 3 + 7, "width": SIDE, "height": SIDE - 20} for at in range(30)]
    annotations, results = [], []
    for image in images:
        if generator.random() < 0.15:
            continue
        present = generator.choice(ids, min(classes, 3), replace=False)
        for _ in range(generator.integers(0, 9)):
            box = random_box(generator)
            label = int(generator.choice(present))
            truth = {"image_id": image["id"], "category_id": label, "iscrowd": int(generator.random() < 0.1)}
            annotations.append(
                truth | {"id": len(annotations) + 1, "bbox": box, "area": box[2] * box[3] * 0.9}
            )
            results += [result_near(generator, image, label, box) for _ in range(generator.integers(0, 4))]
        results += [
            result_near(generator, image, int(generator.choice(ids)), random_box(generator))
            for _ in range(generator.integers(0, 4))
        ]
    results.append(result_near(generator, images[0], int(ids[0]), random_box(generator)))
    categories = [{"id": int(each), "name": f"class {each}"} for each in ids]
    return {"images": images, "annotations": annotations, "categories": categories}, results


def random_box(generator):
    x, y = generator.integers(0, SIDE - 40, 2).tolist()
    width, height = np.exp(generator.uniform(1, 4.6, 2)).round(1).tolist()
    return [x, y, width, height]


def result_near(generator, image, label, box):
    moved = (np.array(box) + np.round(generator.normal(0, 3, 4))).clip([0, 0, 1, 1]).tolist()
    score = round(float(generator.random()), 1)
    return {"image_id": image["id"], "category_id": label, "bbox": moved, "score": score}


def with_masks(truth, results, seed):
    """Polygons for half of the annotations, run lengths for crowds and results; results without boxes."""
    generator = np.random.default_rng(seed)
    truth, results = json.loads(json.dumps([truth, results]))
    for row in truth["annotations"]:
        row["segmentation"] = [_corners(row["bbox"], generator)]
        if row["iscrowd"] or generator.random() < 0.5:
            row["segmentation"] = _runs(row["segmentation"])
    for row in results:
        row["segmentation"] = _runs([_corners(row.pop("bbox"), generator)])
    return truth, results


def _corners(box, generator):
    x, y, width, height = box
    cut = generator.uniform(0, 0.4) * width
    corners = [x + cut, y, x + width, y, x + width, y + height, x, y + height]
    return [float(each) for each in corners]


def _runs(polygon):
    runs = coco_mask.frPyObjects(polygon, SIDE - 20, SIDE)[0]
    return {"size": list(runs["size"]), "counts": runs["counts"].decode()}


def with_keypoints(truth, results, seed):
    """17 keypoints per object, some without label; those of results near those of an annotation."""
    rng = np.random.default_rng(seed)
    truth, results = json.loads(json.dumps([truth, results]))
    own = {}
    for row in truth["annotations"]:
        x, y, width, height = row["bbox"]
        seen = rng.integers(0, 3, 17) * (rng.random() < 0.85)
        places = np.array([x, y]) + rng.random((17, 2)).round(1) * [width, height]
        row["keypoints"] = np.column_stack([places, seen]).ravel().tolist()
        row["num_keypoints"] = int((seen > 0).sum())
        own.setdefault((row["image_id"], row["category_id"]), []).append(places)
    for row in results:
        near = own.get((row["image_id"], row["category_id"]), [rng.random((17, 2)) * 100])
        places = near[rng.integers(len(near))] + rng.normal(0, rng.choice([0.5, 3, 9]), (17, 2)).round(1)
        row["keypoints"] = np.column_stack([places, np.ones(17)]).ravel().tolist()
        if seed % 2:
            del row["bbox"]
    return truth, results
