"""Files of annotations and results, and the command line as a function that returns its output."""

import json
from pathlib import Path

from PIL import Image

from thresher import open_run
from thresher.cli import main

IMAGES = [{"id": at, "width": 100, "height": 80} for at in (3, 5, 8, 9)]
CATEGORIES = [{"id": 1, "name": "cat"}, {"id": 4, "name": "dog"}]
TRUTHS = [(3, 1, [0, 0, 20, 20]), (3, 4, [50, 50, 10, 10]), (5, 1, [10, 10, 40, 40]), (8, 4, [5, 5, 30, 30])]
FOUND = [
    (3, 1, [0, 0, 20, 19], 0.9),
    (3, 4, [70, 5, 10, 10], 0.6),
    (5, 1, [10, 10, 40, 36], 0.8),
    (9, 4, [5, 5, 30, 30], 0.3),
]
BETTER = [*FOUND[:1], (3, 4, [50, 50, 10, 10], 0.7), *FOUND[2:3], (8, 4, [5, 5, 30, 28], 0.9)]


def cli(capsys, *words, code=0):
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    errors = [line for line in err.splitlines() if not line.startswith("thresher: warning: ")]
    assert code == 0 or len(errors) == 1
    return out if code == 0 else err


def corners(box):
    x, y, width, height = box
    return [[x, y, x + width, y, x + width, y + height, x, y + height]]


def coco_truths(name="instances.json", **changes):
    rows = [
        {"id": at, "image_id": image, "category_id": label, "bbox": box, "area": box[2] * box[3]}
        | {"iscrowd": 0, "segmentation": corners(box)}
        for at, (image, label, box) in enumerate(TRUTHS, start=1)
    ]
    content = {"images": IMAGES, "annotations": rows, "categories": CATEGORIES} | changes
    Path(name).write_text(json.dumps(content))


def lvis_truths(name="lvis.json"):
    """The true objects as a file of LVIS: one image was not checked for dogs."""
    images = [{**image, "neg_category_ids": [4], "not_exhaustive_category_ids": []} for image in IMAGES]
    images[-1]["neg_category_ids"] = []
    categories = [{**row, "frequency": letter} for row, letter in zip(CATEGORIES, "rc", strict=True)]
    coco_truths(name, images=images, categories=categories)


OPEN_IMAGES = {
    "boxes.csv": [
        ("ImageID", "LabelName", "XMin", "XMax", "YMin", "YMax", "IsGroupOf"),
        ("a", "/m/car", 0.1, 0.5, 0.1, 0.5, 0),
        ("a", "/m/person", 0.4, 0.9, 0.2, 0.9, 1),
        ("b", "/m/person", 0.1, 0.2, 0.1, 0.4, 0),
        ("b", "/m/vehicle", 0.5, 0.8, 0.3, 0.6, 0),
    ],
    "image-labels.csv": [
        ("ImageID", "Source", "LabelName", "Confidence"),
        ("b", "verification", "/m/car", 0),
        ("c", "verification", "/m/vehicle", 0),
    ],
    "found.csv": [
        ("ImageID", "LabelName", "Score", "XMin", "XMax", "YMin", "YMax"),
        ("a", "/m/car", 0.9, 0.1, 0.5, 0.1, 0.48),
        ("a", "/m/person", 0.8, 0.42, 0.5, 0.3, 0.5),
        ("a", "/m/person", 0.7, 0.6, 0.7, 0.3, 0.5),
        ("b", "/m/person", 0.6, 0.1, 0.2, 0.1, 0.4),
        ("b", "/m/vehicle", 0.5, 0.5, 0.8, 0.3, 0.55),
        ("b", "/m/car", 0.4, 0.5, 0.8, 0.3, 0.58),
        ("c", "/m/car", 0.3, 0.5, 0.8, 0.3, 0.58),
        ("c", "/m/person", 0.95, 0.5, 0.8, 0.3, 0.58),
    ],
    "names.csv": [("/m/car", "Car"), ("/m/person", "Person"), ("/m/vehicle", "Vehicle")],
}


def open_images_files():
    """Files of Open Images: a group, a car that is a vehicle, and an image checked for vehicles only."""
    for name, rows in OPEN_IMAGES.items():
        Path(name).write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    vehicle = {"LabelName": "/m/vehicle", "Subcategory": [{"LabelName": "/m/car"}]}
    tree = {"LabelName": "/m/entity", "Subcategory": [vehicle, {"LabelName": "/m/person"}]}
    Path("hierarchy.json").write_text(json.dumps(tree))


def coco_poses(truths="person_keypoints.json", results="poses.json"):
    """Files of persons with a keypoint on each of 17 places of their box, and of poses near them."""
    people, poses = [], []
    for at, (image, _, (x, y, width, height)) in enumerate(TRUTHS, start=1):
        points = [[x + width * joint / 16, y + height * joint / 16, 2] for joint in range(17)]
        person = {"image_id": image, "category_id": 1}
        area = width * height
        poses.append(person | {"keypoints": [n + at / 4 for p in points for n in p], "score": 1 / at})
        person |= {"keypoints": [number for point in points for number in point], "num_keypoints": 17}
        people.append(person | {"id": at, "bbox": [x, y, width, height], "area": area, "iscrowd": 0})
    content = {"images": IMAGES, "annotations": people, "categories": [{"id": 1, "name": "person"}]}
    Path(truths).write_text(json.dumps(content))
    Path(results).write_text(json.dumps(poses))


def animal_poses():
    """Dogs of two and poles of one keypoint, whose names the categories have."""
    categories = [
        {"id": 1, "name": "dog", "keypoints": ["nose", "tail"], "skeleton": [[1, 2]]},
        {"id": 2, "name": "pole", "keypoints": ["top"]},
    ]
    poses = [(1, [5, 5, 2, 20, 5, 2]), (2, [30, 30, 2])]
    truths = [
        {"id": at, "image_id": 3, "category_id": at, "keypoints": points, "area": 400, "bbox": [0, 0, 20, 20]}
        for at, points in poses
    ]
    found = [
        {"image_id": 3, "category_id": at, "keypoints": [points[0] + 1, *points[1:]], "score": 0.9}
        for at, points in poses
    ]
    content = {"images": [{"id": 3}], "annotations": truths, "categories": categories}
    Path("animals.json").write_text(json.dumps(content))
    Path("animal_poses.json").write_text(json.dumps(found))
    Path("sigmas.json").write_text(json.dumps({"dog": [0.1, 0.1], "pole": [0.05]}))


def yolo_poses():
    """Folders of YOLO's poses of 17 keypoints, and of the image."""
    line = "0 0.5 0.5 0.4 0.4" + " 0.5 0.5 2" * 17
    for name, text in (("yolo_poses", line), ("yolo_found", f"{line} 0.9")):
        Path(name).mkdir()
        Path(name, "a.txt").write_text(text)
    Path("frames").mkdir()
    Image.new("L", (200, 100)).save("frames/a.png")


def coco_results(name, rows, masks=False, **changes):
    results = [
        {"image_id": image, "category_id": label, "score": score}
        | ({"segmentation": corners(box)} if masks else {"bbox": box})
        | changes
        for image, label, box, score in rows
    ]
    Path(name).write_text(json.dumps(results))


def as_data_set(results, truths, name):
    """Write a list of results as the annotations of a data set."""
    rows, content = (json.loads(Path(path).read_text()) for path in (results, truths))
    rows = [row | {"id": at, "iscrowd": 0} for at, row in enumerate(rows, start=1)]
    Path(name).write_text(json.dumps(content | {"annotations": rows}))


def values(folder):
    run = open_run(folder)
    return {name: run.metrics[name].value for name in run.metrics}


def folder(name, files):
    Path(name).mkdir()
    for file, text in files.items():
        (Path(name) / file).write_text(text)
