"""Annotated images."""

import io
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from warnings import catch_warnings

import numpy as np

from fuzz.inputs import changed, changed_json, changed_yaml, one_of
from fuzz.registry import fuzzer
from thresher.errors import InputError

SQUARE = [1, 1, 5, 1, 5, 5, 1, 5]


INSTANCES = {
    "images": [
        {"id": 1, "width": 10, "height": 8, "file_name": "a.png"},
        {"id": 2, "width": 10, "height": 8},
    ],
    "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
    "annotations": [
        {
            "id": 1,
            "image_id": 1,
            "category_id": 1,
            "bbox": [1, 1, 4, 4],
            "area": 16,
            "iscrowd": 0,
            "segmentation": [SQUARE],
        },
        {
            "id": 2,
            "image_id": 2,
            "category_id": 2,
            "bbox": [0, 0, 2, 2],
            "area": 4,
            "iscrowd": 1,
            "segmentation": {"size": [8, 10], "counts": [0, 20, 60]},
        },
    ],
}


RESULTS = [
    {
        "image_id": 1,
        "category_id": 1,
        "bbox": [1, 1, 4, 3],
        "score": 0.5,
        "segmentation": {"size": [8, 10], "counts": "051"},
    },
    {"image_id": 2, "category_id": 2, "bbox": [0, 0, 2, 2], "score": 0.9, "segmentation": [SQUARE]},
]


NAMED = [
    {**row, "image_id": "a", "file_name": name} for row, name in zip(RESULTS, ("a.png", "a"), strict=True)
]
"""Results as Ultralytics writes them: ids are file names without suffix."""


def posed(rows):
    return [{**row, "keypoints": [1, 2, 2, 4.5, 3, 0], "num_keypoints": 1} for row in rows]


POSES = posed(RESULTS)
OF_LVIS = {
    "images": [
        {**row, "neg_category_ids": [2], "not_exhaustive_category_ids": [1]} for row in INSTANCES["images"]
    ],
    "categories": [{**row, "frequency": "c"} for row in INSTANCES["categories"]],
}


@fuzzer(
    "datasets/coco.py",
    "datasets/_coco_keypoints.py",
    "datasets/_coco_lvis.py",
    "kernels/detection/rasters.py",
)
def coco(folder):
    from thresher.datasets._coco_geometries import GEOMETRIES
    from thresher.datasets.coco import read_coco

    def action(rng):
        truth, predicted = one_of(rng, 2)
        geometries = rng.choice(GEOMETRIES) if rng else "boxes"
        rows = rng.choice([RESULTS, NAMED, POSES]) if rng else RESULTS
        truths = {**INSTANCES, "annotations": posed(INSTANCES["annotations"])} if rows is POSES else INSTANCES
        truths = {**truths, **OF_LVIS} if rng and rng.random() < 0.3 else truths
        (folder / "gt.json").write_bytes(changed_json(truth, truths))
        (folder / "dt.json").write_bytes(changed_json(predicted, rows if geometries == "masks" else rows[1:]))
        options = {"geometries": geometries}
        if rng and rng.random() < 0.2:
            options |= {"protocol": "open-images", "hierarchy": {"cat": "pet"}}
        return lambda: scored(read_coco(folder / "gt.json", folder / "dt.json", **options))

    return action


@fuzzer(
    "files/typed_json.py",
    "datasets/_coco_columns.py",
    "datasets/_coco_forms.py",
    "datasets/_coco_masks.py",
    "datasets/_coco_scanner.py",
)
def coco_columns(folder):
    """Both readers of COCO read the same columns, or refuse with the same words."""
    from thresher.datasets import coco
    from thresher.files import typed_json

    def read(geometries, *, fast, block=1 << 20):
        known = typed_json.parser, typed_json._BLOCK, coco.IN_COLUMNS
        typed_json.parser, typed_json._BLOCK = (known[0] if fast else lambda: None), block
        coco.IN_COLUMNS = known[2] if fast else ()
        try:
            return coco.read_coco(folder / "gt.json", folder / "dt.json", geometries=geometries)
        except InputError as error:
            return str(error)
        finally:
            typed_json.parser, typed_json._BLOCK, coco.IN_COLUMNS = known

    def action(rng):
        truth, predicted = one_of(rng, 2)
        instances = INSTANCES if rng is None else {**INSTANCES, "annotations": numbered(rng, 1, "area")}
        results = RESULTS if rng is None else numbered(rng, 0, "score")
        if rng and rng.random() < 0.3:
            names = [
                {"image_id": rng.choice([1, "a", "b"]), "file_name": name} for name in ("a.png", "a", None)
            ]
            results = [{**row, **rng.choice(names)} for row in results]
        way = rng.choice(["boxes", "keypoints", "masks"]) if rng else "boxes"
        if rng and way == "masks":
            instances = {**instances, "annotations": shapes_of(rng, instances["annotations"])}
            results = shapes_of(rng, results)
        if way == "keypoints":
            instances = {**instances, "annotations": poses_of(rng, instances["annotations"])}
            results = poses_of(rng, results)
        (folder / "gt.json").write_bytes(changed_json(truth, instances))
        (folder / "dt.json").write_bytes(changed_json(predicted, results))
        block = rng.choice([1, 40, 200]) if rng else 1
        return lambda: same([read(way, fast=False), read(way, fast=True), read(way, fast=True, block=block)])

    return action


def poses_of(rng, rows):
    """The objects with keypoints, some without a box or with more fields, and perhaps one of another form."""
    numbers = [0, 1, 2, -3.5, 1e300, True, None, 2**70]
    poses = []
    for row in rows:
        further = {
            "num_keypoints": rng.choice([0, 1, 2, None, -1, 2**31]),
            "segmentation": rng.choice([[], [[1, 2, 3]], {"counts": "a\\"}]),
            "bbox": rng.choice([[], None, [1, 2, 3, 4]]),
        }
        pose = {name: row[name] for name in row if name != "bbox" or rng.random() < 0.7}
        pose["keypoints"] = [rng.choice(numbers[:4]) for _ in range(rng.choice([6, 6, 6, 3, 12]))]
        poses.append(pose | {name: value for name, value in further.items() if rng.random() < 0.2})
    if poses and rng.random() < 0.4:
        rng.choice(poses)["keypoints"] = [rng.choice(numbers) for _ in range(rng.choice([0, 3, 5, 6, 6]))]
    return poses


def shapes_of(rng, rows):
    """The objects with shapes in images of 8 x 10 pixels, some without a box, perhaps one of another form."""
    good = [[SQUARE], [SQUARE, [0, 0, 9.5, 1, 3, 7]], {"size": [8, 10], "counts": "051"}]
    good += [{"counts": [3, 0, 4, 73], "size": [8, 10]}, {"counts": "`2", "size": [8, 10]}]
    bad = [[], None, [SQUARE[:5]], {"size": [8, 9], "counts": "051"}, {"size": [8, 10], "counts": [1e300]}]
    shaped = [
        {name: row[name] for name in row if name != "bbox" or rng.random() < 0.7}
        | {"segmentation": rng.choice(good)}
        for row in rows
    ]
    if shaped and rng.random() < 0.3:
        rng.choice(shaped)["segmentation"] = rng.choice(bad)
    return shaped


def numbered(rng, least, field):
    """Many objects with values at the borders of their ranges, some as integers."""

    def number():
        return rng.choice([0, 1, -0.0, 0.0, 1.0, 0.1, rng.random(), 1e-320, 2**53 + 1, 123456789.125])

    rows = []
    for at in range(rng.randrange(least, 9)):
        row = {
            "image_id": rng.choice([1, 2]),
            "category_id": rng.choice([1, 2]),
            "bbox": [number() for _ in range(4)],
        }
        row |= (
            {field: rng.choice([0, 1, 0.5, rng.random()])} if rng.random() < 0.95 or field == "score" else {}
        )
        row |= {"id": at + 5} if least or rng.random() < 0.1 else {}
        row |= (
            {"note": rng.choice(["}, {", [[1], {"a": "]"}], "\\", 10**320, "é", None])}
            if rng.random() < 0.3
            else {}
        )
        row |= {"iscrowd": rng.choice([0, 1])} if rng.random() < 0.3 else {}
        rows.append(row)
    return rows


def same(read):
    first = read[0]
    if isinstance(first, str):
        assert read == [first] * len(read)
        raise InputError(first)
    for data in read:
        assert list(data.ids) == list(first.ids)
        assert data.columns.keys() == first.columns.keys()
        for name, column in first.columns.items():
            if name not in {"ground_truths", "predictions"}:
                assert list(data.columns[name]) == list(column)
                continue
            for one, other in zip(column, data.columns[name], strict=True):
                assert one.labels == other.labels
                assert repr(one.ids) == repr(other.ids)
                for field in ("boxes", "box_areas", "scores", "areas", "crowd", "difficult"):
                    assert (
                        np.asarray(getattr(one, field)).tobytes()
                        == np.asarray(getattr(other, field)).tobytes()
                    ), field
                assert numbers_of(one.keypoints) == numbers_of(other.keypoints)
    return first


def numbers_of(keypoints):
    return (
        None
        if keypoints is None
        else (
            keypoints.points.tobytes(),
            keypoints.counts.tolist(),
            keypoints.per_object.tolist(),
        )
    )


def scored(data):
    """Detections that were read can be scored, or are refused in one line."""
    from thresher.components.detection.matcher import DetectionMatcher

    sides = {name: list(data.columns[name]) for name in ("ground_truths", "predictions")}
    DetectionMatcher().run(**sides)
    if any(image.keypoints is not None for image in sides["ground_truths"]):
        DetectionMatcher(compare_as="keypoints", sigmas=[0.1, 0.1]).run(**sides)
    return data


def reading(reader, paths):
    return lambda: scored(reader(*paths))


def pairs(folder, suffix, truth, predicted):
    """Two folders with one file per folder; one or both files change."""
    for side in ("gt", "dt"):
        (folder / side).mkdir()

    def write(rng):
        first, second = one_of(rng, 2)
        (folder / "gt" / f"a{suffix[0]}").write_bytes(changed(first, truth))
        name = "a" if suffix[1] == suffix[0] else "cat"
        (folder / "dt" / f"{name}{suffix[1]}").write_bytes(changed(second, predicted))
        return folder / "gt", folder / "dt"

    return write


@fuzzer("datasets/yolo.py")
def yolo(folder):
    from thresher.datasets.yolo import read_yolo

    truth = b"0 0.5 0.5 0.2 0.2\n1 0.1 0.1 0.3 0.1 0.3 0.3 0.1 0.3\n"
    write = pairs(folder, (".txt", ".txt"), truth, b"0 0.5 0.5 0.2 0.1 0.9\n")
    return lambda rng: reading(read_yolo, write(rng))


@fuzzer("datasets/_yolo_keypoints.py")
def yolo_poses(folder):
    from thresher.datasets.yolo import read_yolo

    sizes = dict.fromkeys(("a", "cat"), (640, 480))
    read = partial(read_yolo, keypoints=2, sizes=sizes)
    truth = b"0 0.5 0.5 0.2 0.2 0.45 0.5 2 0 0 0\n"
    write = pairs(folder, (".txt", ".txt"), truth, b"0 0.5 0.5 0.2 0.1 0.4 0.4 0.9 0.6 0.6 0.1 0.9\n")
    return lambda rng: reading(read, write(rng))


VOC = b"""<annotation><filename>a.jpg</filename><object><name>cat</name><difficult>0</difficult>
<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>30</xmax><ymax>40</ymax></bndbox></object></annotation>"""


@fuzzer("datasets/voc.py", "datasets/_result_files.py")
def voc(folder):
    from thresher.datasets.voc import read_voc

    write = pairs(folder, (".xml", ".txt"), VOC, b"a 0.5 1 2 30 40\n")
    return lambda rng: reading(read_voc, write(rng))


@fuzzer("datasets/kitti.py")
def kitti(folder):
    from thresher.datasets.kitti import DIFFICULTIES, read_kitti

    box = b"-1.58 587.01 173.33 614.12 200.12 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59"
    truth = b"Car 0.00 0 " + box + b"\nDontCare -1 -1 " + box + b"\n"
    write = pairs(folder, (".txt", ".txt"), truth, b"Car -1 -1 " + box + b" 0.91\n")

    def action(rng):
        level = rng.choice(DIFFICULTIES) if rng else "all"
        return reading(partial(read_kitti, difficulty=level), write(rng))

    return action


@fuzzer("datasets/open_images.py", "datasets/_open_images_csv.py", "datasets/_hierarchies.py")
def open_images(folder):
    from thresher.datasets.open_images import read_open_images

    texts = {
        "gt": b"ImageID,LabelName,XMin,XMax,YMin,YMax,IsGroupOf\na,/m/1,0.1,0.5,0,1,1\nb,/m/2,0,1,0,1,0\n",
        "dt": b"ImageID,LabelName,Score,XMin,XMax,YMin,YMax\na,/m/1,0.9,0.1,0.5,0.1,1\n",
        "labels": b"ImageID,Source,LabelName,Confidence\na,verification,/m/2,0\nb,verification,/m/1,1\n",
        "names": b"LabelName,DisplayName\n/m/1,cat\n/m/2,pet\n",
    }
    tree = {
        "LabelName": "/m/0",
        "Subcategory": [{"LabelName": "/m/2", "Subcategory": [{"LabelName": "/m/1"}]}],
    }

    def action(rng):
        *changes, of_tree = one_of(rng, len(texts) + 1)
        for (name, text), change in zip(texts.items(), changes, strict=True):
            (folder / f"{name}.csv").write_bytes(changed(change, text))
        (folder / "tree.json").write_bytes(changed_json(of_tree, tree))
        options = {"hierarchy": folder / "tree.json", "expand_predictions": bool(rng and rng.random() < 0.5)}
        options |= {"image_labels": folder / "labels.csv", "class_descriptions": folder / "names.csv"}
        return reading(partial(read_open_images, **options), (folder / "gt.csv", folder / "dt.csv"))

    return action


@fuzzer("datasets/dota.py")
def dota(folder):
    from thresher.datasets.dota import read_dota

    corners = b"10 10 50 10 50 30 10 30"
    truth = b"imagesource:GoogleEarth\ngsd:0.1\n" + corners + b" plane 0\n" + corners + b" ship 1\n"
    write = pairs(folder, (".txt", ".txt"), truth, b"a 0.9 " + corners + b"\n")
    return lambda rng: reading(read_dota, write(rng))


@fuzzer("datasets/masks.py", "kernels/segmentation/entries.py")
def masks(folder):
    import numpy as np
    from PIL import Image

    from thresher.components import metric_class
    from thresher.datasets.masks import image_sizes, read_label_maps

    contents = []
    for mode in ("L", "P", "1", "RGB", "I;16"):
        sink = io.BytesIO()
        kind = {"1": np.bool_, "I;16": np.uint16}.get(mode, np.uint8)
        shape = (6, 5, 3) if mode == "RGB" else (6, 5)
        image = Image.fromarray((np.arange(np.prod(shape)).reshape(shape) % 2).astype(kind))
        (image if image.mode == mode else image.convert(mode)).save(sink, "PNG")
        contents.append(sink.getvalue())
    write = {
        content: pairs(at, (".png", ".png"), content, contents[0]) for at, content in places(folder, contents)
    }
    metric = metric_class("segmentation_mean_iou")()

    def read(truths, predictions):
        image_sizes(truths)
        data = read_label_maps(truths, predictions)
        columns = data.columns
        metric.run(ground_truths=list(columns["ground_truths"]), predictions=list(columns["predictions"]))
        return data

    def action(rng):
        paths = write[rng.choice(contents) if rng else contents[0]](rng)
        return lambda: read(*paths)

    return action


@fuzzer(
    "datasets/coco_panoptic.py",
    "files/png_rows.py",
    "kernels/segmentation/panoptic_entries.py",
    "kernels/segmentation/png_runs.py",
    "kernels/segmentation/segments.py",
)
def panoptic(folder):
    import numpy as np
    from PIL import Image

    from thresher.components import metric_class
    from thresher.datasets.coco_panoptic import read_coco_panoptic

    rows = [{"id": 1, "category_id": 1, "iscrowd": 0, "area": 6}, {"id": 258, "category_id": 2, "iscrowd": 1}]
    images = [{"image_id": 1, "file_name": "a.png", "segments_info": rows}]
    categories = [{"id": 1, "name": "cat", "isthing": 1}, {"id": 2, "name": "sky", "isthing": 0}]
    content = {"images": [{"id": 1, "scene": "day"}], "annotations": images, "categories": categories}
    picture = io.BytesIO()
    pixels = np.zeros((3, 4, 3), np.uint8)
    pixels[:2, :3] = [1, 0, 0]
    pixels[2] = [2, 1, 0]
    Image.fromarray(pixels).save(picture, "PNG")
    metric = metric_class("segmentation_panoptic_quality")()
    (folder / "gt").mkdir()
    (folder / "found").mkdir()

    def read():
        data = read_coco_panoptic(folder / "gt.json", folder / "found.json")
        metric.run(**{name: data.column(name) for name in ("ground_truths", "predictions")})
        return data

    def action(rng):
        truth, predicted = one_of(rng, 2)
        is_picture = rng is not None and rng.random() < 0.5
        (folder / "gt.json").write_bytes(changed_json(None if is_picture else truth, content))
        (folder / "found.json").write_bytes(changed_json(None if is_picture else predicted, content))
        (folder / "gt/a.png").write_bytes(changed(truth if is_picture else None, picture.getvalue()))
        (folder / "found/a.png").write_bytes(changed(predicted if is_picture else None, picture.getvalue()))
        return read

    return action


def places(folder, contents):
    for number, content in enumerate(contents):
        (folder / str(number)).mkdir()
        yield folder / str(number), content


@fuzzer("cli/annotations.py")
def labels_of_values(folder):
    from thresher.cli.annotations import _labels_of_values

    def action(rng):
        if rng and rng.random() < 0.5:
            path, content = (
                folder / "data.yaml",
                changed_yaml(rng, {"names": {0: "road", 1: "tree"}, "nc": 2}),
            )
        else:
            path, content = folder / "labels", changed_json(rng, {"0": "road", "1": "tree"})
        path.write_bytes(content)
        return lambda: _labels_of_values(str(path))

    return action


@fuzzer("cli/keypoint_options.py", "datasets/_coco_keypoint_names.py")
def sigmas_and_names(folder):
    from thresher.cli.keypoint_options import _sigmas
    from thresher.components.detection import DetectionKeypointsEvaluator, DetectionMatcher
    from thresher.datasets._coco_keypoint_names import coco_keypoint_names

    sigmas, truth = folder / "sigmas.json", folder / "gt.json"
    categories = [{"id": 1, "name": "dog", "keypoints": ["nose", "tail"]}, {"id": 2, "name": "cat"}]

    def action(rng):
        sigmas.write_bytes(changed_json(rng, {"dog": [0.5, 0.1], "cat": [1]}))
        truth.write_bytes(changed_json(rng, INSTANCES | {"categories": categories}))

        def read():
            DetectionKeypointsEvaluator(keypoint_names=coco_keypoint_names(truth) or None)
            return DetectionMatcher(compare_as="keypoints", sigmas=_sigmas(str(sigmas)))

        return read

    return action


@fuzzer("cli/recognised_formats.py")
def recognised_formats(folder):
    """The first lines of text files decide between YOLO, KITTI and DOTA."""
    from thresher.cli.recognised_formats import recognise

    def action(rng):
        (folder / "a.txt").write_bytes(
            changed(rng, b"Car 0.00 0 -1.58 0 0 100 100\n1 2 3 4 5 6 7 8 ship 0\n")
        )
        return lambda: recognise(folder, "objects")

    return action


@fuzzer("compat/coco/annotations.py", "compat/coco/unread_file.py")
def compat_coco(folder):
    """The stand-in for pycocotools evaluates any files, or refuses them."""
    from thresher.compat.coco import COCO, COCOeval

    def evaluate(kind):
        with redirect_stdout(StringIO()), catch_warnings(action="ignore"):
            truth = COCO(folder / "gt.json")
            evaluation = COCOeval(truth, truth.loadRes(folder / "dt.json"), kind)
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return evaluation.stats

    def action(rng):
        truth, predicted = one_of(rng, 2)
        kind = rng.choice(["bbox", "segm"]) if rng else "bbox"
        (folder / "gt.json").write_bytes(changed_json(truth, INSTANCES))
        (folder / "dt.json").write_bytes(changed_json(predicted, RESULTS if kind == "segm" else RESULTS[1:]))
        return lambda: evaluate(kind)

    return action
