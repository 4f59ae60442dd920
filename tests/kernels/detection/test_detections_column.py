"""A column of objects in images: a frozen column of `Detections`, whatever it is stored as."""

import copy
import pickle

import numpy as np
import pytest

from thresher.components.detection import DetectionMatcher, Detections, Polygons, Raster
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.results import FrozenColumn


def images(scored=True, ids=True, shapes=False):
    rng = np.random.default_rng(3)
    made = []
    for size in (2, 0, 3, 1):
        corner = rng.uniform(0, 9, (size, 2))
        boxes = np.hstack([corner, corner + rng.uniform(0, 9, (size, 2))])
        shape = [Raster.of(np.eye(4)), Polygons.of([[(0, 0), (4, 0), (0, 3.5)]]), None][:size]
        options = {"geometries": [s or [0, 0, 1, 2] for s in shape]} if shapes else {"boxes": boxes}
        made.append(
            Detections.of(
                [str(label) for label in rng.integers(0, 5, size)],
                **options,
                scores=rng.random(size) if scored else None,
                areas=rng.uniform(1, 90, size),
                crowd=rng.integers(0, 2, size),
                difficult=rng.integers(0, 2, size),
                ids=[7 * (len(made) + 1) + at for at in range(size)] if ids else None,
            )
        )
    return made


def plain(column):
    return [image.to_dict() for image in column]


def content(column):
    return list(DetectionsColumn.of_entries(column).content())


@pytest.mark.parametrize("options", [{}, {"scored": False}, {"ids": False}, {"shapes": True}])
def test_it_is_a_column_of_its_images(options):
    made = images(**options)
    column = DetectionsColumn.of_entries(FrozenColumn(made))
    empty = {} if options.get("scored", True) else {"scores": None}
    assert [image["boxes"] if "boxes" in image else image["geometries"] for image in plain(column)] == [
        image["boxes"] if "boxes" in image else image["geometries"] for image in plain(made)
    ]
    assert [i | empty for i in plain(column) if i["labels"]] == [
        i | empty for i in plain(made) if i["labels"]
    ]
    assert len(column) == 4
    assert column.missing() == []
    assert plain([column[-1], column[0]]) == plain([column[3], column[0]])
    for part in (slice(1, 3), slice(3, 1), slice(None, None, 2), slice(0, 0)):
        assert plain(column[part]) == plain(list(column)[part])
        assert content(column[part]) == content(DetectionsColumn.of_entries(column[part]))
    assert plain(column.take([2, -4])) == plain([column[2], column[0]])
    assert plain(DetectionsColumn.concatenate([column[:1], column[1:]])) == plain(column)
    mixed = DetectionsColumn.concatenate([column[:1], FrozenColumn([None])])
    assert mixed[1] is None
    assert copy.deepcopy(column) is column
    assert pickle.loads(pickle.dumps(column)) == column  # noqa: S301


@pytest.mark.parametrize("options", [{}, {"scored": False}, {"ids": False}, {"shapes": True}])
def test_equal_objects_have_equal_content(options):
    made = images(**options)
    column = DetectionsColumn.of_entries(FrozenColumn(made))
    assert column == made
    assert column == FrozenColumn(images(**options))
    for start, stop in ((0, 2), (1, 2), (2, 4)):  # a part has the content of its images alone
        assert content(column[start:stop]) == content(FrozenColumn(made[start:stop]))
    assert column != made[::-1]
    assert column != made[:3]
    assert column != [None] * 4


def test_each_field_counts():
    def of(**changes):
        given = {"labels": ["a", "b"], "boxes": [[0, 0, 1, 2], [1, 1, 2, 2]], "scores": [0.5, 0.25]}
        return DetectionsColumn.of_entries([Detections.of(**given | changes)])

    others = [
        of(),
        of(labels=["b", "a"]),
        of(boxes=[[0, 0, 1, 2], [1, 1, 2, 3]]),
        of(scores=[0.5, 0.75]),
        of(scores=None),
        of(areas=[1, 1]),
        of(crowd=[0, 1]),
        of(difficult=[0, 1]),
        of(ids=[1, 2]),
        of(ids=["1", "2"]),
        of(boxes=None, geometries=[Raster.of([[1]]), [1, 1, 2, 2]]),
    ]
    known = [content(other) for other in others]
    assert all(known.count(entry) == 1 for entry in known)
    assert content(of(boxes=[[-0.0, 0, 1, 2], [1, 1, 2, 2]], areas=[2, 1])) == known[0]


def test_entries_of_other_kinds_are_left_as_they_are():
    some = Detections.of(["a"], [[0, 0, 1, 1]], [0.5])
    for entries in ([], [None], [some, None], [some.to_dict()], [some, Detections.of(["a"], [[0, 0, 1, 1]])]):
        assert DetectionsColumn.of_entries(FrozenColumn(entries)) is None


def test_a_matcher_reads_the_labels_of_its_images_alone():
    """As from a list of images, so that chunks of a file and of a list have the same statistics."""
    made = images()[2:]
    column = DetectionsColumn.of_entries(FrozenColumn(images()))[2:]
    truths = [Detections.of([]) for _ in made]
    expected, actual = (
        DetectionMatcher().run(predictions=side, ground_truths=truths)["matches"].predictions
        for side in (made, column)
    )
    assert actual.labels == expected.labels
    assert actual.label.tolist() == expected.label.tolist()
    assert actual.label.dtype == expected.label.dtype
    assert DetectionColumns.of(column[:0]).labels == ()
