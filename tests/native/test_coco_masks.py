"""Shapes of COCO's files: the library reads what the reader of Python objects reads, or leaves them to it."""

import json
import os
import random

import numpy as np
import pytest

from thresher.datasets import coco
from thresher.datasets._coco_columns import CocoColumns
from thresher.datasets._coco_masks import Shapes, _coco_masks
from thresher.datasets._coco_shapes import read_shapes
from thresher.errors import DataWarning, InputError
from thresher.files.typed_json import UnexpectedFormError
from thresher.kernels.detection.raster_lists import Rasters
from thresher.kernels.detection.rasters import Raster
from thresher.kernels.detection.run_length_texts import compressed

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "4")))
BYTES = b' \t{}[]:,"\\0123456789-+.eE`oPsizecounts\xc3'


def native_masks(shapes, sizes):
    """The masks, or None if they are left to the other reader."""
    texts = [shape if isinstance(shape, bytes) else json.dumps(shape).encode() for shape in shapes]
    ends = np.cumsum([len(text) + 1 for text in texts]) - 1
    starts = ends - [len(text) for text in texts]
    try:
        return Shapes(b",".join(texts), np.stack([starts, ends], axis=1)).masks(sizes, np.arange(len(texts)))
    except UnexpectedFormError:
        return None


def python_masks(shapes, sizes):
    """The masks, or None if one is refused."""
    try:
        return read_shapes(shapes, sizes, "masks", str)
    except InputError:
        return None


def assert_equal_masks(fast, slow):
    assert [(mask.size, mask.counts.tolist()) for mask in fast] == [
        (mask.size, mask.counts.tolist()) for mask in slow
    ]
    assert fast.areas.tolist() == [mask.area for mask in slow]
    assert fast.boxes.tolist() == [list(mask.box) for mask in slow]


def random_ring(rng, height, width):
    """Points inside and around the image; some repeat, some are on the grid."""
    digits = rng.choice([0, 1, 2, 15])
    far = rng.choice([0, 0, 0.3, 2, 30])
    points = [
        [rng.uniform(-far * width, (1 + far) * width), rng.uniform(-far * height, (1 + far) * height)]
        for _ in range(rng.randrange(3, 14))
    ]
    if rng.random() < 0.3:
        points += rng.choices(points, k=3)
    if rng.random() < 0.3:
        points = [[x, points[0][1]] for x, _ in points]
    return [round(number, digits) for point in points for number in point]


def random_shape(rng, height, width):
    if rng.random() < 0.5:
        return [random_ring(rng, height, width) for _ in range(rng.choice([1, 1, 2, 3]))]
    rows = np.random.default_rng(rng.randrange(10**9)).random((height, width))
    mask = Raster.of(rows < rng.choice([0, 0.01, 0.5, 1]))
    own, counts = list(mask.size), mask.counts.tolist()
    if rng.random() < 0.2 and len(counts) > 1:
        counts = [counts[0], 0, 0, *counts[1:], 0]
    given = counts if rng.random() < 0.4 else compressed([np.array(counts)])[0].decode()
    fields = [("size", own), ("counts", given)]
    return dict(rng.sample(fields, 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_shapes(native, seed):
    rng = random.Random(seed)  # noqa: S311
    for _ in range(40):
        sizes = [(rng.randrange(1, 60), rng.randrange(1, 60)) for _ in range(rng.randrange(1, 8))]
        shapes = [random_shape(rng, *size) for size in sizes]
        assert_equal_masks(native_masks(shapes, sizes), python_masks(shapes, sizes))


@pytest.mark.parametrize("seed", SEEDS)
def test_changed_bytes_are_read_alike_or_left_to_the_other_reader(native, seed):
    rng = random.Random(seed)  # noqa: S311
    read = 0
    for _ in range(300):
        size = (rng.randrange(1, 30), rng.randrange(1, 30))
        changed = bytearray(json.dumps(random_shape(rng, *size)).encode())
        for _ in range(rng.choice([1, 1, 2, 4])):
            at = rng.randrange(len(changed))
            changed[at : at + rng.randrange(2)] = rng.choices(BYTES, k=rng.randrange(3))
        fast = native_masks([bytes(changed)], [size])
        if fast is None:
            continue
        read += 1
        assert_equal_masks(fast, python_masks([json.loads(changed)], [size]))
    assert read > 20


def test_escaped_texts(native):
    """A backslash stands for 44: the first of several groups."""
    mask = Raster((60, 60), np.array([12 + 32 * 15, 3600 - 12 - 32 * 15]))
    text = compressed([mask.counts])[0].decode()
    assert "\\" in text
    assert_equal_masks(native_masks([{"size": [60, 60], "counts": text}], [(60, 60)]), [mask])


SQUARE = [[0, 0, 4, 0, 4, 4, 0, 4]]


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        (SQUARE, (None, 5)),
        (SQUARE, (5.0, 5)),
        (SQUARE, (-1, 5)),
        (SQUARE, (2**31, 1)),
        (SQUARE, (2**16, 2**16)),
        ([], (5, 5)),
        ([[]], (5, 5)),
        ([[0, 0, 4, 4]], (5, 5)),
        ([[0, 0, 4, 0, 4, 4, 1]], (5, 5)),
        ([[0, 0, 4, 0, 4, 1.1e6]], (5, 5)),
        ([[0, 0, 4, 0, 4, None]], (5, 5)),
        ({"size": [5, 5]}, (5, 5)),
        ({"counts": [25]}, (5, 5)),
        ({"size": [5, 5], "counts": []}, (5, 5)),
        ({"size": [5, 5], "counts": ""}, (5, 5)),
        ({"size": [5, 5], "counts": [24]}, (5, 5)),
        ({"size": [5, 5], "counts": [24, 2]}, (5, 5)),
        ({"size": [5, 5], "counts": [26, -1]}, (5, 5)),
        ({"size": [5, 5], "counts": [25.0]}, (5, 5)),
        ({"size": [5, 5], "counts": "99"}, (5, 5)),
        ({"size": [5, 5], "counts": "o"}, (5, 5)),
        ({"size": [5, 5], "counts": "ooooooooooooooooooo0"}, (5, 5)),
        ({"size": [5, 5], "counts": [25], "color": 1}, (5, 5)),
        ({"size": [5, 5], "size ": [5, 5], "counts": [25]}, (5, 5)),
        ({"size": [5, 5], "counts": [25]}, (5, 6)),
        ({"size": [2**40, 2**40], "counts": [2**80]}, (None, None)),
        ({"size": [2**16, 2**16], "counts": [2**32]}, (None, None)),
        ("shape", (5, 5)),
        (None, (5, 5)),
    ],
)
def test_other_shapes_are_left_to_the_other_reader(native, shape, size):
    good = {"size": [5, 5], "counts": [25]}
    assert native_masks([good, shape], [(5, 5), size]) is None


def test_images_of_unknown_size_take_run_lengths(native):
    shapes = [{"size": [2, 3], "counts": [1, 5]}] * 3
    assert len(native_masks(shapes, [(None, None), (2, None), (None, 4)])) == 3


def test_a_mask_without_pixels_and_an_image_without_any(native):
    shapes = [[[9, 9, 12, 9, 12, 12]], {"size": [0, 7], "counts": [0]}, SQUARE]
    sizes = [(5, 5), (0, 7), (0, 0)]
    assert_equal_masks(native_masks(shapes, sizes), python_masks(shapes, sizes))


def test_more_run_lengths_than_expected(native):
    """A comb has many runs in each column, so that the list is read twice."""
    teeth = [(x, y) for row in range(0, 400, 4) for x, y in ((0, row), (9, row), (9, row + 1), (0, row + 1))]
    ring = [number for point in teeth for number in point]
    shapes = [[ring]] * 3
    sizes = [(400, 10)] * 3
    runs = python_masks(shapes, sizes)
    assert sum(len(mask.counts) for mask in runs) > len(json.dumps(shapes)) // 4
    assert_equal_masks(native_masks(shapes, sizes), runs)


def test_room_follows_the_shapes_of_wide_images(native):
    """Two run lengths per column of 40 images would be 687 GB."""
    sizes = [(1, 2**31 - 1)] * 40
    assert_equal_masks(native_masks([SQUARE] * 40, sizes), python_masks([SQUARE] * 40, sizes))


def test_threads_change_nothing(native, monkeypatch):
    monkeypatch.setattr("thresher.datasets._coco_masks._BYTES_PER_THREAD", 1)
    rng = random.Random(0)  # noqa: S311
    sizes = [(20, 30)] * 900
    shapes = [random_shape(rng, 20, 30) for _ in sizes]
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("THRESHER_THREADS", threads)
        found.append(native_masks(shapes, sizes))
    for other in found[1:]:
        assert_equal_masks(found[0], list(other))
    assert native_masks([*shapes, None], [*sizes, (1, 1)]) is None  # thrown in one of the threads


@pytest.mark.parametrize("spans", [[[0, 9]], [[-1, 2]], [[3, 2]]])
def test_spans_beyond_the_text_are_refused(native, spans):
    with pytest.raises(ValueError, match="contradict"):
        Shapes(b"[[1,2]]", np.array(spans)).masks([(5, 5)], np.array([0]))


def test_arrays_that_contradict_each_other(native):
    texts, spans = np.frombuffer(b"[]", np.uint8), np.array([0, 2])
    columns = [np.zeros(2, np.int64), *(np.zeros(1, np.int64) for _ in range(2)), np.zeros(9, np.int32)]
    with pytest.raises(ValueError, match="contradict"):
        _coco_masks(texts, spans, 1, *columns, np.zeros(3), np.zeros(1, np.int64), np.zeros(1, np.int64))


def test_runs_that_begin_before_the_image(native):
    lengths, sizes = np.array([2]), np.array([[2**63 - 1, 1]])
    with pytest.raises(ValueError, match="contradict"):
        Rasters.of_runs(sizes, lengths, np.array([-9, 3]))


def files(folder, rng, *, boxes, ordered):
    images = [{"id": 3 * at + 5, "height": 40, "width": 50, "file_name": f"{at}.jpg"} for at in range(12)]
    rng.shuffle(images)

    def rows(count, more):
        chosen = [rng.choice(images)["id"] for _ in range(count)]
        return [
            {"image_id": image, "category_id": rng.choice([1, 7]), "segmentation": random_shape(rng, 40, 50)}
            | more(at)
            for at, image in enumerate(sorted(chosen) if ordered else chosen)
        ]

    def box():
        return {"bbox": [rng.uniform(0, 20), 1, 5, rng.uniform(0, 9)]} if rng.random() < boxes else {}

    def about(at):
        return {"id": at, "iscrowd": int(at % 9 == 0), "area": rng.uniform(1, 99)} | box()

    annotations = rows(60, about)
    results = rows(90, lambda _: {"score": rng.random()} | box())
    truth = {
        "images": images,
        "annotations": annotations,
        "categories": [{"id": 1, "name": "a"}, {"id": 7, "name": "b"}],
    }
    paths = folder / "gt.json", folder / "dt.json"
    for path, content in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(content))
    return paths


@pytest.mark.filterwarnings("ignore", category=DataWarning)
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("boxes", [0, 0.5, 1])
def test_files_are_read_alike(native, tmp_path, monkeypatch, boxes, ordered):
    paths = files(tmp_path, random.Random(int(boxes * 2)), boxes=boxes, ordered=ordered)  # noqa: S311
    fast = coco.read_coco(*paths, geometries="masks")
    reads = CocoColumns.of(paths[1].read_bytes(), scored=True, masks=True)
    assert len(reads.images) == 90
    with monkeypatch.context() as patch:
        patch.setattr(coco, "IN_COLUMNS", ())
        slow = coco.read_coco(*paths, geometries="masks")
    assert fast.fingerprint() == slow.fingerprint()
    for name in ("ground_truths", "predictions"):
        one, other = (data.column(name).objects for data in (fast, slow))
        assert isinstance(one.geometries, Rasters)
        for field in ("boxes", "box_areas", "areas", "crowd", "label", "lengths", "ids", "scores"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field), strict=True)
        assert_equal_masks(one.geometries, list(other.geometries))


@pytest.mark.filterwarnings("ignore", category=DataWarning)
@pytest.mark.parametrize("boxes", [0, 1])
def test_a_fault_in_a_shape_is_named(native, tmp_path, boxes):
    truth, found = files(tmp_path, random.Random(3), boxes=boxes, ordered=True)  # noqa: S311
    rows = json.loads(found.read_text())
    rows[4]["segmentation"] = {"size": [40, 50], "counts": [7]}
    found.write_text(json.dumps(rows))
    with pytest.raises(InputError, match=r"dt\.json: results\[4\]: segmentation: run lengths add up to 7"):
        coco.read_coco(truth, found, geometries="masks")
