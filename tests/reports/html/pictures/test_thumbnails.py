"""Small pictures of all kinds of files: as they are shown, without metadata, within limits."""

import io

import numpy as np
import pytest
from PIL import Image, ImageOps

from reports.html.pictures.photographs import halves, photograph
from thresher.datasets.masks import image_sizes
from thresher.errors import InputError
from thresher.files.limits import read_limits
from thresher.reports.html.pictures.thumbnails import LONGEST, read_thumbnail


def saved(tmp_path, image, name="a.png", **options):
    path = tmp_path / name
    image.save(path, **options)
    return path


def opened(thumbnail, longest=LONGEST):
    image = Image.open(io.BytesIO(thumbnail.encoded(longest, 75)))
    image.load()
    return image


@pytest.mark.parametrize("longest", [224, 160, 96])
def test_the_longer_side_has_the_requested_pixels_and_the_sizes_are_those_of_the_file(tmp_path, longest):
    thumbnail = read_thumbnail(saved(tmp_path, photograph((640, 480)), "a.jpg"))
    assert (thumbnail.width, thumbnail.height) == (640, 480)
    assert opened(thumbnail, longest).size == (longest, longest * 3 // 4)


def test_a_small_picture_is_not_enlarged(tmp_path):
    assert opened(read_thumbnail(saved(tmp_path, photograph((40, 30))))).size == (40, 30)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_rotated_as_their_metadata_say(tmp_path, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x8825] = {1: "N", 2: (52.0, 31.0, 0.0)}
    path = saved(tmp_path, halves(), "a.jpg", exif=exif, quality=95)
    thumbnail = read_thumbnail(path)
    with Image.open(path) as image:
        expected = ImageOps.exif_transpose(image)
    assert (thumbnail.width, thumbnail.height) == expected.size
    shown = opened(thumbnail)
    assert not shown.getexif()
    assert not {"exif", "icc_profile", "comment", "xmp"} & set(shown.info)
    difference = np.asarray(shown.convert("RGB"), float) - np.asarray(expected.resize(shown.size), float)
    assert np.abs(difference).mean() < 12


def test_objects_that_were_marked_before_the_rotation_fit_the_stored_picture(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    path = saved(tmp_path, halves(), "a.jpg", exif=exif)
    as_shown, as_stored = read_thumbnail(path, (200, 300)), read_thumbnail(path, (300, 200))
    assert (as_shown.width, as_shown.height) == (200, 300)
    assert (as_stored.width, as_stored.height) == (300, 200)
    assert opened(as_stored).size == (224, 149)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "LA", "CMYK", "I;16", "I", "F"])
def test_every_mode_becomes_a_picture_of_colours_or_greys(tmp_path, mode):
    if mode in ("I;16", "I", "F"):
        ramp = np.tile(np.linspace(0, 60_000, 300), (200, 1))
        types = {"I;16": np.uint16, "I": np.int32, "F": np.float32}
        image = Image.fromarray(ramp.astype(types[mode]))
    else:
        image = halves(left=(255, 255, 255), right=(0, 0, 0)).convert(mode)
    name = "a.tif" if mode in ("F", "CMYK", "I") else "a.png"
    shown = opened(read_thumbnail(saved(tmp_path, image, name)))
    assert shown.mode in ("RGB", "L")
    grey = np.asarray(shown.convert("L"), float)
    assert abs(grey[:, :20].mean() - grey[:, -20:].mean()) > 150


def test_transparent_pixels_are_grey(tmp_path):
    shown = opened(read_thumbnail(saved(tmp_path, Image.new("RGBA", (50, 50), (255, 0, 0, 0)))))
    assert np.abs(np.asarray(shown, float) - 128).max() < 4


def test_the_first_of_moving_pictures_is_shown(tmp_path):
    path = saved(tmp_path, halves(), "a.gif", save_all=True, append_images=[photograph((300, 200))])
    assert np.asarray(opened(read_thumbnail(path)).convert("RGB"))[5, 5].tolist()[0] > 200


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no picture",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
        b"\xff\xd8\xff\xe0\x00\x10JFIF",
    ],
)
def test_files_that_are_no_pictures_are_refused(tmp_path, content):
    path = tmp_path / "a.jpg"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.jpg cannot be read as an image"):
        read_thumbnail(path)


def test_half_a_picture_is_refused(tmp_path):
    path = saved(tmp_path, photograph(), "a.png")
    path.write_bytes(path.read_bytes()[:900])
    with pytest.raises(InputError, match="cannot be read as an image"):
        read_thumbnail(path)


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_a_picture_with_damaged_metadata_is_shown(tmp_path):
    path = saved(tmp_path, photograph(), "a.jpg", exif=b"Exif\x00\x00MM\x00*\xff\xff\xff\xff")
    assert opened(read_thumbnail(path)).size == (224, 168)


def test_a_picture_with_more_pixels_than_the_limit_is_not_decoded(tmp_path):
    path = saved(tmp_path, Image.new("1", (3000, 3000)), "bomb.png")
    with read_limits(pixels=1_000_000), pytest.raises(InputError, match="3000 x 3000 pixels"):
        read_thumbnail(path)


def test_sizes_of_images_are_those_after_the_rotation_from_headers_alone(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 8
    saved(tmp_path, photograph((60, 40)), "a.jpg", exif=exif)
    saved(tmp_path, photograph((60, 40)), "b.png", exif=exif)
    saved(tmp_path, photograph((60, 40)), "c.png")
    (tmp_path / "c.png").write_bytes((tmp_path / "c.png").read_bytes()[:100])
    assert image_sizes(tmp_path) == {"a": (40, 60), "b": (40, 60), "c": (60, 40)}
