"""Pictures are made smaller, then fewer; the section never exceeds its budget, and no picture is cut."""

import io

import pytest
from PIL import Image

from reports.html.pictures.photographs import decoded, packed, photograph, run_of_images
from thresher.errors import InputError
from thresher.reports.html.pictures.fitting import STEPS, Thumbnails
from thresher.reports.html.pictures.section import pictures_section
from thresher.reports.html.pictures.thumbnails import Thumbnail


@pytest.mark.parametrize("room", [400_000, 60_000, 42_000, 25_000, 12_000, 3_000, 500, 0])
def test_the_section_is_within_its_budget_and_every_picture_is_whole(tmp_path, room):
    section = pictures_section(run_of_images(tmp_path / "p", images=8), tmp_path / "p", room)
    images = packed(section.payload)["images"]
    assert len(section.payload) <= max(room, 300)
    for image in images:
        Image.open(io.BytesIO(decoded(image["pictures"]["picture"]))).load()
    longest = [max(Image.open(io.BytesIO(decoded(image["pictures"]["picture"]))).size) for image in images]
    if images:
        assert section.sentences[0] == f"{len(images)} of 8 images shown, {max(longest)} px."
    else:
        assert section.sentences[0].startswith("None of 8 images fits; raise their limit (--image-budget")
    assert not section.problem


def test_a_smaller_budget_first_makes_pictures_smaller_then_fewer(tmp_path):
    run = run_of_images(tmp_path / "p", images=8)
    shown = []
    for room in (400_000, 60_000, 42_000, 30_000, 20_000, 10_000):
        images = packed(pictures_section(run, tmp_path / "p", room).payload)["images"]
        pictures = [Image.open(io.BytesIO(decoded(image["pictures"]["picture"]))) for image in images]
        shown.append((len(images), max(max(picture.size) for picture in pictures)))
    assert shown == sorted(shown, reverse=True)
    assert shown[0] == (8, 224)
    assert {size for count, size in shown if count == 8} > {224}
    assert {size for count, size in shown if count < 8} == {STEPS[-1][0]}


def test_each_picture_is_read_once_and_problems_are_kept():
    asked = []

    def read(row):
        asked.append(row)
        if row == 1:
            raise InputError("broken")
        return Thumbnail(photograph((9, 9)), 9, 9)

    thumbnails = Thumbnails(read)
    assert list(thumbnails.of([0, 1, 2])) == [0, 2]
    assert list(thumbnails.of([2, 1, 3])) == [2, 3]
    assert sorted(asked) == [0, 1, 2, 3]
    assert thumbnails.problems == {1: "broken"}
