"""Pictures are made smaller, then fewer; the section never exceeds its budget, and no picture is cut."""

import io

import pytest
from PIL import Image

from reports.html.pictures.photographs import decoded, packed, photograph, run_of_images
from thresher.errors import InputError
from thresher.reports.html import html_report
from thresher.reports.html.pictures.fitting import STEPS, Thumbnails
from thresher.reports.html.pictures.section import pictures_section
from thresher.reports.html.pictures.thumbnails import Thumbnail


def widths(images):
    """Pixels of the longer side of each picture, which is whole."""
    pictures = [Image.open(io.BytesIO(decoded(image["pictures"]["picture"]))) for image in images]
    for picture in pictures:
        picture.load()
    return [max(picture.size) for picture in pictures]


@pytest.mark.parametrize("room", [400_000, 60_000, 42_000, 25_000, 12_000, 3_000, 500, 0])
def test_the_section_is_within_its_budget_and_every_picture_is_whole(tmp_path, room):
    section = pictures_section(run_of_images(tmp_path / "p", images=8), tmp_path / "p", room)
    data = packed(section.payload)
    images, longest = data["images"], widths(data["images"])
    assert len(section.payload) <= max(room, 300)
    assert not section.problem
    if not images:
        assert section.sentences[0].startswith("None of 8 images fits; raise their limit (--image-budget")
        return
    shown = f"{len(images)} of 8 images shown, {data['pixels']} px"
    large = data["enlarged"]
    assert longest == [320] * large + [data["pixels"]] * (len(images) - large)
    first = "all" if large == len(images) else f"the first {large}"
    ending = f"; {first} with pictures of up to 320 px." if large else "; no larger picture fits."
    assert section.sentences[0] == shown + ending


def test_a_smaller_budget_first_makes_pictures_smaller_then_fewer(tmp_path):
    run = run_of_images(tmp_path / "p", images=8)
    shown = []
    for room in (400_000, 60_000, 42_000, 30_000, 20_000, 10_000):
        images = packed(pictures_section(run, tmp_path / "p", room, pixels=224).payload)["images"]
        shown.append((len(images), max(widths(images))))
    assert shown == sorted(shown, reverse=True)
    assert shown[0] == (8, 224)
    assert {size for count, size in shown if count == 8} > {224}
    assert {size for count, size in shown if count < 8} == {STEPS[-1][0]}


def test_the_first_images_have_large_pictures_for_which_others_become_smaller_but_not_fewer(tmp_path):
    run = run_of_images(tmp_path / "p", images=8)
    rooms = (200_000, 110_000, 90_000)
    pages = [pictures_section(run, tmp_path / "p", room).payload for room in rooms]
    sizes = [widths(packed(page)["images"]) for page in pages]
    assert sizes[0] == [320] * 8
    large = [each.count(320) for each in sizes]
    assert large == sorted(large, reverse=True)
    assert 0 < large[-1] < 8
    assert all(len(each) == 8 and each == sorted(each, reverse=True) for each in sizes)
    assert min(map(min, sizes)) >= 128


def test_large_pictures_have_the_requested_pixels(tmp_path):
    run = run_of_images(tmp_path / "p", images=2)
    section = pictures_section(run, tmp_path / "p", 400_000, pixels=280)
    assert widths(packed(section.payload)["images"]) == [280, 280]
    assert section.sentences[0] == "2 of 2 images shown, 224 px; all with pictures of up to 280 px."
    small = pictures_section(run, tmp_path / "p", 400_000, pixels=224)
    assert small.sentences[0] == "2 of 2 images shown, 224 px."
    for pixels in (100, 5000, 300.0, True):
        with pytest.raises(
            InputError, match=r"image_pixels=.* \(--image-pixels\) must be a whole number from 224 \(no large"
        ):
            html_report([run], images=tmp_path / "p", image_pixels=pixels)


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
