"""Segments with what became of them, the images with the lowest panoptic quality first."""

import numpy as np
import pytest
from PIL import Image

from panoptic_cases import near, random_entry
from reports.html.page import find, texts, until
from reports.html.pictures.photographs import packed, photograph
from reports.html.pictures.test_cards import pixels, rgb
from thresher import EvaluationResults
from thresher.components.segmentation import PanopticMap, SegmentationPanopticQualityEvaluator
from thresher.kernels.segmentation.panoptic_entries import Entry
from thresher.kernels.segmentation.segment_matching import match_segments
from thresher.reports.html import html_report
from thresher.reports.html.pictures.panoptic_maps import SegmentReading
from thresher.reports.html.pictures.section import pictures_section
from thresher.reports.html.pictures.thumbnails import Thumbnail

ROOM = 500_000
THINGS = {"cat": 1, "dog": 1, "sky": 0}


def panoptic(ids, labels, crowds=()):
    rows = [
        {"id": key, "label": label, "isthing": THINGS[label], "iscrowd": int(key in crowds)}
        for key, label in labels.items()
    ]
    return {"segmentation": np.repeat(np.repeat(np.array(ids), 10, 0), 10, 1), "segments_info": rows}


TRUTH = panoptic(
    [[1, 1, 1, 1, 0, 5], [2, 2, 3, 3, 0, 5], [2, 2, 3, 3, 4, 4]],
    {1: "sky", 2: "cat", 3: "cat", 4: "dog", 5: "dog"},
    crowds=[5],
)
FOUND = panoptic(
    [[1, 1, 1, 0, 7, 6], [2, 2, 3, 3, 8, 6], [2, 2, 3, 3, 8, 0]],
    {1: "sky", 2: "cat", 3: "dog", 7: "cat", 8: "cat", 6: "dog"},
)
_SAME, _OUTLINE, _VOID = "matched", "matched, but another outline", "does not count"
_BOTH = "missed and false positive, such as a wrong label"
EXPECTED = [
    [_SAME, _SAME, _SAME, _OUTLINE, _VOID, _VOID],
    [_SAME, _SAME, _BOTH, _BOTH, "false positive", _VOID],
    [_SAME, _SAME, _BOTH, _BOTH, _BOTH, "missed"],
]


@pytest.fixture
def run(tmp_path):
    truths, found = [TRUTH, TRUTH, None], [TRUTH, FOUND, None]
    result = SegmentationPanopticQualityEvaluator().run(ground_truths=truths, predictions=found)["result"]
    photograph((60, 30)).save(tmp_path / "b.png")
    columns = {"id": ["a", "b", "c"], "ground_truths": truths, "predictions": found}
    return EvaluationResults(columns, [result], name="segments")


def test_what_became_of_segments_has_a_colour(run, tmp_path):
    section = pictures_section(run, tmp_path, ROOM)
    data = packed(section.payload)
    assert [(image["id"], image["kinds"]) for image in data["images"]] == [
        ("b", ["missed", "false positive"]),
        ("a", ["no errors"]),
    ]
    first, second = data["images"]
    assert first["words"] == "PQ 0.417, 2 missed, 2 false positives"
    assert second["words"] == "PQ 1.000"
    assert section.problem == "1 of 2 images shown lack a picture: no picture 'a' in the folder."
    meanings = {tuple(rgb(colour)): meaning for colour, meaning in data["differences"]}
    shown = pixels(first["pictures"]["errors"])[5::10, 5::10]
    assert [[meanings[tuple(colour)] for colour in line] for line in shown.tolist()] == EXPECTED


def test_segments_of_one_label_are_divided(run, tmp_path):
    data = packed(pictures_section(run, tmp_path, ROOM).payload)
    truth = pixels(data["images"][0]["pictures"]["truth"])
    colours = {label: rgb(colour) for label, colour in zip(data["labels"], data["colours"], strict=True)}
    assert truth[15, 5].tolist() == truth[15, 25].tolist() == colours["cat"]
    assert truth[15, 20].tolist() == [255, 255, 255]
    assert truth[5, 45].tolist() == [0, 0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_colours_agree_with_the_matches(seed):
    """Every pixel against the definition, written out pixel by pixel."""
    rng = np.random.default_rng(seed)
    truth = random_entry(rng, (24, 30), crowds=0.3)
    found = near(rng, truth)
    reading = SegmentReading({}, frozenset(), {})
    shown = reading.picture(truth, found, lambda: Thumbnail(photograph((9, 9)), 9, 9), 30).outcome
    maps = [Entry.of(side).read() for side in (truth, found)]
    matches = match_segments(*maps)
    sides = [dict(enumerate(side.segments)) for side in maps]
    keys = [{key: at for at, key in side.items()} for side in sides]
    pairs = set(zip(matches.first.tolist(), matches.second.tolist(), strict=True))
    for (row, column), outcome in np.ndenumerate(shown):
        first, second = (key.get(int(side.ids[row, column])) for key, side in zip(keys, maps, strict=True))
        missed = first is not None and bool(matches.missed[first])
        wrong = second is not None and bool(matches.wrong[second])
        crowd = first is None or maps[0].segments[sides[0][first]].crowd
        cases = [(missed and wrong, 4), (wrong, 3), (missed, 2), (crowd, 5), ((first, second) in pairs, 0)]
        assert outcome == next((code for holds, code in cases if holds), 1)


def test_joined_stuff_is_one_segment(tmp_path):
    truth = PanopticMap.of([[1, 1, 2, 2]], {1: "sky", 2: "sky"})
    found = PanopticMap.of([[1, 1, 1, 1]], {1: "sky"})
    columns = {"ground_truths": [truth], "predictions": [found]}
    for stuff, words in (("segments", "PQ 0.000, 2 missed, 1 false positive"), ("merged", "PQ 1.000")):
        metric = SegmentationPanopticQualityEvaluator(things=[], stuff=stuff)
        result = metric.run(**columns)["result"]
        image = packed(
            pictures_section(EvaluationResults({"id": ["a"], **columns}, [result]), tmp_path, ROOM).payload
        )["images"][0]
        assert image["words"] == words
        wrong = (pixels(image["pictures"]["errors"]) == [226, 229, 233]).all()
        assert wrong == (stuff == "merged")


def test_a_map_that_was_moved_is_reported(run, tmp_path):
    columns = {name: list(run.inputs[name]) for name in run.inputs}
    columns["predictions"] = [
        {**FOUND, "segmentation": str(tmp_path / "moved.png")},
        *columns["predictions"][1:],
    ]
    data = packed(pictures_section(EvaluationResults(columns, run.results), tmp_path, ROOM).payload)
    problems = {image["id"]: image["problem"] for image in data["images"]}
    assert problems == {"a": "the label map 'moved.png' is not where the run found it", "b": None}
    columns["predictions"][0] = {**FOUND, "segmentation": "moved.png"}
    data = packed(pictures_section(EvaluationResults(columns, run.results), tmp_path, ROOM).payload)
    assert data["images"][1]["problem"].endswith("it; start from the folder in which the run was started")
    colours = np.stack([FOUND["segmentation"], *[np.zeros_like(FOUND["segmentation"])] * 2], axis=-1)
    Image.fromarray(colours.astype(np.uint8)).save(tmp_path / "moved.png")
    results = EvaluationResults(columns, run.results)
    results.input_folder = tmp_path
    data = packed(pictures_section(results, tmp_path, ROOM).payload)
    assert sorted(data["images"][1]["pictures"]) == ["errors", "predicted", "truth"]


@pytest.mark.xdist_group("browser")
def test_segments_in_a_browser(opened, run, tmp_path):
    from reports.html.pictures.test_picture_page import CARDS, choose, names

    with pytest.warns(UserWarning, match="lack a picture"):
        driver = opened(html_report([run], images=tmp_path))
    assert names(driver) == ["b", "a"]
    assert texts(driver, "#picture-controls .difference-colours li")[2:4] == ["missed", "false positive"]
    choose(driver, "Images with", "missed")
    until(lambda: names(driver) == ["b"])
    find(driver, CARDS).click()
    assert texts(driver, "#picture figcaption") == ["picture", "truth", "predicted", "differences"]
    assert len(texts(driver, "#picture .difference-colours li")) == 6
