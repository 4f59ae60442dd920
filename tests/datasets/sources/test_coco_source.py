"""COCO files read by image are the data set that `read_coco` reads, and are refused with its words."""

import gzip
import json
from functools import partial
from pathlib import Path
from random import Random
from unittest import mock

import pytest

from datasets.sources.chunked import (
    assert_kept_stage_is_used,
    assert_same_items,
    assert_temporary_stage_is_deleted,
)
from fuzz.annotated import INSTANCES, RESULTS
from fuzz.inputs import changed_json, one_of
from thresher.datasets import Dataset, read_coco
from thresher.datasets.sources import coco_source, stage
from thresher.datasets.sources.coco_source import CocoSource, open_coco
from thresher.datasets.texts import check_texts
from thresher.errors import InputError
from thresher.files import json_lists, texts
from thresher.files.stores import FolderStore

SQUARE = [1.0, 1.0, 5.0, 1.0, 5.0, 4.0, 1.0, 4.0]
RUNS = {"size": [20, 30], "counts": [0, 3, 597]}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Stage files of any size, in blocks of a few entries."""
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", -1)
    monkeypatch.setattr(texts, "_BLOCK", 100)
    monkeypatch.setattr(json_lists, "_AT_ONCE", 300)
    monkeypatch.setattr(stage, "_MOST_BYTES", 700)
    monkeypatch.setattr(stage, "_AT_ONCE", 700)
    monkeypatch.setattr(stage, "_MOST_ROWS", 5)
    monkeypatch.setattr(coco_source, "FINGERPRINT_ROWS", 4)


@pytest.fixture
def files(tmp_path):
    def write(instances, results, suffix=""):
        paths = tmp_path / f"truth.json{suffix}", tmp_path / f"found.json{suffix}"
        for path, data in zip(paths, (instances, results), strict=True):
            content = data if isinstance(data, bytes) else json.dumps(data).encode()
            path.write_bytes(gzip.compress(content) if suffix else content)
        return paths

    return write


def shape(rng):
    return rng.choice([[SQUARE], RUNS])


def instances(rng, images=23, *, order=("info", "images", "annotations", "categories")):
    """Images in another order than their ids, and annotations in another than that of the images."""
    ids = rng.sample(range(1000), images)
    labels = [{"id": 7, "name": "dog"}, {"id": 3, "name": "cat \u00e4"}, {"id": 4}]
    about = [
        {"scene": "day", "n": 1.5},
        {"n": None, "tags": [1]},
        {"width": 30, "scene": "\u2028 \U0001f600"},
        {},
    ]
    parts = {
        "info": {"year": 2017, "annotations": [1]},
        "images": [{"id": name, "height": 20, "width": 30, **rng.choice(about)} for name in ids],
        "annotations": [
            {
                "id": number,
                "image_id": rng.choice(ids),
                "bbox": [1, rng.random(), 2.5, 4],
                "segmentation": shape(rng),
            }
            | {"category_id": rng.choice([3, 4, 7])}
            | rng.choice([{"area": 10.5}, {"iscrowd": 1}, {"area": None, "iscrowd": 0, "note": "},{"}])
            for number in rng.sample(range(10**6), 90)
        ],
        "categories": labels,
    }
    return {name: parts[name] for name in order}


def results(rng, images):
    """Results of some of the images, some with ids."""
    chosen = rng.choices([image["id"] for image in images[::2]], k=120)
    return [
        {
            "image_id": name,
            "category_id": rng.choice([3, 7]),
            "bbox": [1, rng.random(), 2.5, 4],
            "score": rng.random(),
        }
        | {"segmentation": shape(rng)}
        | rng.choice([{}, {}, {"id": "a"}])
        for name in chosen
    ]


def outcome(read, *args, **options):
    try:
        data = read(*args, **options)
        if read is read_coco:
            check_texts(data)
    except InputError as error:
        return str(error)
    return data


def assert_same(*paths, **options):
    """Assert that files read by image are the whole, or refused with the same words; return the source."""
    expected, source = outcome(read_coco, *paths, **options), outcome(open_coco, *paths, **options)
    if isinstance(expected, str) or isinstance(source, str):
        assert source == expected
    else:
        assert isinstance(source, CocoSource)
        assert_same_items(source, expected)
    return source


@pytest.mark.parametrize("geometries", ["boxes", "masks", "polygons"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_images_are_those_of_the_whole_reader(files, geometries, suffix):
    rng = Random(geometries + suffix)  # noqa: S311
    truths = instances(rng)
    source = assert_same(*files(truths, results(rng, truths["images"]), suffix), geometries=geometries)
    assert {path.suffix for path in Path(source.location).iterdir()} == {".json", ".parquet"}


def of_lvis(rng, truths):
    """The file with lists of categories in most images, frequencies, and objects that are ignored."""
    lists = [{"neg_category_ids": [4, 3], "not_exhaustive_category_ids": []}, {"neg_category_ids": [7]}, {}]
    truths["images"] = [row | rng.choice(lists) for row in truths["images"]]
    truths["categories"] = [
        row | {"frequency": letter} for row, letter in zip(truths["categories"], "rcx", strict=True)
    ]
    truths["annotations"] = [row | rng.choice([{}, {"ignore": 1}]) for row in truths["annotations"]]
    return truths


@pytest.mark.parametrize("geometries", ["boxes", "masks"])
@pytest.mark.filterwarnings("ignore::thresher.errors.DataWarning")
def test_lists_of_lvis_and_keypoints_are_read_by_chunk(files, geometries):
    rng = Random(geometries)  # noqa: S311
    truths = of_lvis(rng, instances(rng))
    paths = files(truths, results(rng, truths["images"]))
    for protocol in ("auto", "lvis", "coco"):
        source = assert_same(*paths, geometries=geometries, protocol=protocol)
        known = source.slice(5, 9).columns["ground_truths"].objects.federated
        assert (known is None) == (protocol == "coco")
    images = bad(truths["images"], (3, {"neg_category_ids": [5]}), (1, {"not_exhaustive_category_ids": 5}))
    assert_same(*files({**truths, "images": images}, []), geometries=geometries)
    annotations = bad(truths["annotations"], (60, {"ignore": 5}))
    assert_same(*files({**truths, "annotations": annotations}, []), geometries=geometries)
    plain = instances(rng)
    assert_same(*files(plain, []), geometries=geometries, protocol="lvis")
    points = [row | {"keypoints": [1, 2.5, 2, 4, 5, 0]} for row in plain["annotations"]]
    poses = [row | {"keypoints": [1, 2, 1, 3, 4, 1]} for row in results(rng, plain["images"])]
    assert_same(*files({**plain, "annotations": points}, poses), geometries="keypoints")
    assert_same(
        *files({**plain, "annotations": bad(points, (9, {"keypoints": [1]}))}, poses), geometries="keypoints"
    )


@pytest.mark.parametrize("first", ["annotations", "categories"])
def test_the_lists_may_come_in_any_order(files, first):
    rng = Random(3)  # noqa: S311
    rest = [name for name in ("categories", "annotations", "images") if name != first]
    truths = instances(rng, order=(first, *rest))
    assert_same(*files(truths, results(rng, truths["images"])))


def test_without_predictions_images_or_objects(files):
    rng = Random(4)  # noqa: S311
    truths = instances(rng)
    path, none = files(truths, [])
    assert_same(path, none)
    assert tuple(assert_same(path).columns)[-1] == "ground_truths"
    assert_same(*files({**truths, "annotations": []}, []))
    assert_same(*files({**truths, "annotations": [], "images": []}, []))
    assert_same(*files({**truths, "annotations": [], "images": [], "categories": []}, []))


def test_ids_that_are_texts_or_have_a_point(files):
    truths = {
        "images": [{"id": "b"}, {"id": "a"}],
        "annotations": [{"id": "x", "image_id": "b", "category_id": 1.0, "bbox": [1, 1, 2, 2]}],
        "categories": [{"id": 1}],
    }
    assert_same(*files(truths, []))
    truths["images"], truths["annotations"] = [{"id": 9.0}, {"id": 4.0}], []
    assert_same(*files(truths, [{"image_id": 4, "category_id": 1, "bbox": [1, 1, 2, 2], "score": 1}]))


def test_a_file_that_has_a_list_twice_is_read_whole(files):
    truths = json.dumps(instances(Random(1)))  # noqa: S311
    path, none = files(f'{{"images": [], {truths[1:]}'.encode(), [])
    assert not isinstance(open_coco(path, none), CocoSource)
    assert_same_items(open_coco(path, none), read_coco(path, none))


def bad(rows, *changes):
    """Rows that are changed at a position."""
    return [{**row, **dict(changes).get(at, {})} for at, row in enumerate(rows)]


@pytest.mark.parametrize(
    "changes",
    [
        ((70, {"bbox": None}),),
        ((70, {"bbox": [1, 2, -3, 4]}), (80, {"image_id": 5000})),
        ((10, {"area": -1}), (80, {"category_id": []})),
        ((10, {"area": -1}), (50, {"iscrowd": 2}), (80, {"bbox": 1})),
        ((10, {"iscrowd": 2}), (50, {"iscrowd": 3})),
        ((10, {"image_id": None}), (70, {"id": None})),
        ((10, {"image_id": "7"}), (70, {"image_id": 1.5}), (75, {"id": "text"})),
        ((20, {"id": -1}), (60, {"id": -1}), (75, {"id": "text"}), (80, {"id": -1})),
        ((20, {"id": -1}), (30, {"id": "text"}), (60, {"id": -1})),
        ((70, {"keypoints": [1, 2, 1]}), (1, {"image_id": 5000})),
        ((70, {"segmentation": {"size": [20, 30], "counts": "~~"}}), (3, {"segmentation": [[1]]})),
        ((70, {"note": "\ud800"}),),
    ],
)
@pytest.mark.parametrize("geometries", ["boxes", "masks"])
def test_bad_annotations_are_refused_with_the_same_words(files, changes, geometries):
    truths = instances(Random(5))  # noqa: S311
    paths = files({**truths, "annotations": bad(truths["annotations"], *changes)}, [])
    assert_same(*paths, geometries=geometries)


@pytest.mark.parametrize(
    "changes",
    [
        {"images": None},
        {"images": [{"id": 1}, {"id": 2}, {"id": 1}]},
        {"images": [{"id": 1}, {"id": "2"}]},
        {"images": [{"id": 1}, 5]},
        {"images": [{"id": 1, "note": "\ud800"}], "annotations": []},
        {"images": [{"id": 1, "not_exhaustive_category_ids": []}, {"id": 2, "neg_category_ids": []}]},
        {"categories": [{"id": 1, "name": []}]},
        {"categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "cat"}]},
        {"categories": [{"id": 1, "frequency": "r"}], "images": [{"id": 1}, {"id": 1}]},
        {"categories": 5, "annotations": {}},
        {"annotations": [5]},
    ],
)
def test_bad_lists_are_refused_with_the_same_words(files, changes):
    assert isinstance(assert_same(*files({**instances(Random(6)), **changes}, [])), str)  # noqa: S311


@pytest.mark.parametrize("content", [{}, {"a": []}, 5, [[]], [5], [{"image_id": 1}], b"[1", b"", b"[{}]\xff"])
def test_bad_results_are_refused_with_the_same_words(files, content):
    assert isinstance(assert_same(*files(instances(Random(7)), content)), str)  # noqa: S311
    assert isinstance(assert_same(*files(content, [])), str)


def test_mutated_files_are_the_whole_or_are_refused_with_the_same_words(files):
    read = 0
    for number in range(40):
        rng = Random(number)  # noqa: S311
        first, second = one_of(rng, 2)
        paths = files(changed_json(first, INSTANCES), changed_json(second, RESULTS[1:]))
        source = assert_same(*paths, geometries=rng.choice(["boxes", "masks"]))
        read += isinstance(source, CocoSource)
    assert 2 < read < 38


@pytest.mark.filterwarnings("ignore:.* outside 0 to 1")
@pytest.mark.parametrize("geometries", ["boxes", "masks"])
def test_scores_outside_0_to_1_are_read_alike_with_one_note(files, geometries):
    rng = Random(9)  # noqa: S311
    truths = instances(rng)
    found = [{**row, "score": 6 * row["score"] - 3} for row in results(rng, truths["images"])]
    source = assert_same(*files(truths, found), geometries=geometries)
    outside = sum(not 0 <= row["score"] <= 1 for row in found)
    (note,) = (note for note in source.notes if "outside 0 to 1" in note)
    assert note.startswith(f"{outside} of {len(found)} scores of predictions are outside 0 to 1 (lowest ")


@pytest.mark.parametrize("limit", [1, 5, 1000])
def test_a_limit_uses_the_first_images_and_checks_all_objects(files, limit):
    rng = Random(3)  # noqa: S311
    truths = instances(rng)
    found = results(rng, truths["images"])
    paths = files(truths, found)
    assert_same_items(open_coco(*paths, limit=limit), read_coco(*paths).head(limit))
    found[-1]["score"] = float("nan")
    with pytest.raises(InputError, match=r"results\[119\].*: score is nan; give a finite number"):
        open_coco(*files(truths, found), limit=limit)


def test_a_chunk_reads_only_its_files(files, monkeypatch):
    rng = Random(8)  # noqa: S311
    truths = instances(rng, 100)
    source = open_coco(*files(truths, results(rng, truths["images"])))
    read, original = [], FolderStore.read
    monkeypatch.setattr(FolderStore, "read", lambda *of: read.append(of[1]) or original(*of))
    assert len(source.slice(50, 55)) == 5
    assert 3 < len(read) < 12 < len(list(Path(source.location).iterdir())) / 3


def test_a_kept_stage_is_used_until_a_file_changes(files, tmp_path):
    rng = Random(1)  # noqa: S311
    truths = instances(rng)
    paths = files(truths, results(rng, truths["images"]))
    assert_kept_stage_is_used(
        partial(open_coco, *paths),
        partial(read_coco, *paths),
        tmp_path / "stages",
        mock.patch.object(coco_source, "CocoReading", None),
        lambda: paths[1].write_text("[]"),
    )


def test_a_temporary_stage_is_deleted_with_its_source(files):
    assert_temporary_stage_is_deleted(partial(open_coco, *files(instances(Random(2)), [])))  # noqa: S311


def test_small_or_missing_files_are_read_by_the_whole_reader(files, monkeypatch):
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", 10**6)
    truths, none = files(instances(Random(2)), [])  # noqa: S311
    assert_same_items(open_coco(truths, none), read_coco(truths, none))
    for paths in ((truths, none.with_name("none")), (none.with_name("none"), none), (None, none)):
        assert outcome(open_coco, *paths) == outcome(read_coco, *paths)


def test_boxes_of_usual_files_are_read_whole_up_to_a_size(files, monkeypatch):
    truths = {name: INSTANCES[name] for name in ("images", "categories")}
    objects = [{"id": at, "image_id": 1, "category_id": 2, "bbox": [at, 1, 2, 3]} for at in range(9)]
    paths = files({**truths, "annotations": objects}, [{**row, "score": 0.5} for row in objects])
    size = sum(path.stat().st_size for path in paths)
    for small, kind in (
        (size, Dataset),
        (size - 1, Dataset),
        (size // 100 + 1, Dataset),
        (size / 101, CocoSource),
    ):
        monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", small)
        assert type(open_coco(*paths)) is kind
        assert_same_items(open_coco(*paths), read_coco(*paths))
    assert open_coco(*paths, limit=1).fingerprint() == read_coco(*paths).head(1).fingerprint()
    monkeypatch.setattr("thresher.datasets.sources.opening.SMALL", size - 1)
    assert type(open_coco(*paths, geometries="boxes")) is Dataset
    monkeypatch.setattr("thresher.files.typed_json.parser", lambda: None)
    assert type(open_coco(*paths)) is CocoSource
