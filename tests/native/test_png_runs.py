"""Native runs of PNG files are those of Pillow's pixels, or the file is left to Pillow."""

import io
import random
import struct
import zlib
from itertools import pairwise

import numpy as np
import pytest

from thresher.files.limits import read_limits
from thresher.kernels.segmentation.panoptic_entries import Entry
from thresher.kernels.segmentation.png_runs import _png_runs, png_runs

Image = pytest.importorskip("PIL.Image", reason="files are compared with Pillow's pixels")
BYTES = 3


def chunk(name, content):
    checksum = struct.pack(">I", zlib.crc32(name + content))
    return struct.pack(">I", len(content)) + name + content + checksum


def neighbours(row, above):
    """Per byte the left one, the upper one, and that in the corner."""
    return (
        [0] * BYTES + row[:-BYTES],
        above,
        [0] * BYTES + above[:-BYTES],
    )


def predicted(kind, left, up, corner):
    if kind == 4:
        return min((left, up, corner), key=lambda value: abs(left + up - corner - value))
    return (0, left, up, (left + up) // 2)[kind % 4]


def rows_of(pixels, filters):
    rows, above = [], [0] * BYTES * pixels.shape[1]
    for kind, line in zip(filters, pixels, strict=True):
        row = line.ravel().tolist()
        around = zip(row, *neighbours(row, above), strict=True)
        rows.append(bytes([kind, *((value - predicted(kind, *others)) % 256 for value, *others in around)]))
        above = row
    return b"".join(rows)


def png(size, rows, *, form=(8, 2, 0, 0, 0), level=6, before=(), parts=2):
    packed = zlib.compress(rows, level)
    cuts = [len(packed) * at // parts for at in range(parts + 1)]
    pixels = [chunk(b"IDAT", packed[start:end]) for start, end in pairwise(cuts)]
    header = chunk(b"IHDR", struct.pack(">II5B", size[1], size[0], *form))
    return b"".join([b"\x89PNG\r\n\x1a\n", header, *before, *pixels, chunk(b"IEND", b"")])


def random_pixels(rng, height, width):
    """Blocks of a few colours, and a noisy part."""
    colours = rng.integers(0, 256, (4, BYTES))
    pixels = colours[np.kron(rng.integers(0, 4, (4, 4)), np.ones((8, 8), int))][:height, :width]
    pixels[rng.random((height, width)) < 0.1] = rng.integers(0, 256, BYTES)
    return pixels.astype(np.uint8)


def expected(content):
    """Runs of Pillow's pixels; None for a file that it refuses or that is not RGB."""
    try:
        with Image.open(io.BytesIO(content)) as image:
            pixels = np.asarray(image).astype(np.int64) if image.mode == "RGB" else None
    except (OSError, SyntaxError, ValueError, zlib.error):
        return None
    return None if pixels is None else (pixels.shape[:2], *runs(pixels))


def runs(pixels):
    ids = (pixels.astype(np.int64) @ [1, 256, 65536]).ravel()
    starts = np.flatnonzero(np.diff(ids, prepend=-1))
    return starts.tolist(), ids[starts].tolist()


@pytest.fixture
def read(tmp_path, native):
    def read(content):
        path = tmp_path / "map.png"
        path.write_bytes(content)
        image = png_runs(path)
        return image and (image[0], image[1].tolist(), image[2].tolist())

    return read


@pytest.mark.parametrize("filters", [0, 1, 2, 3, 4, "any"])
@pytest.mark.parametrize("seed", range(3))
def test_runs_are_those_of_the_pixels_with_any_filter(read, seed, filters):
    rng = np.random.default_rng(seed)
    height, width = rng.integers(1, 25, 2).tolist()
    pixels = random_pixels(rng, height, width)
    kinds = rng.integers(0, 5, height).tolist() if filters == "any" else [filters] * height
    content = png((height, width), rows_of(pixels, kinds), level=int(rng.integers(0, 10)))
    assert read(content) == expected(content) == ((height, width), *runs(pixels))


@pytest.mark.parametrize("seed", range(3))
def test_files_of_pillow_and_changed_ones_are_read_as_by_pillow_or_left_to_it(read, seed):
    rng, sink = random.Random(seed), io.BytesIO()  # noqa: S311
    Image.fromarray(random_pixels(np.random.default_rng(seed), 20, 24)).save(sink, "PNG")
    content = sink.getvalue()
    assert read(content) == expected(content)
    for _ in range(300):
        changed = bytearray(content[: rng.choice([len(content), rng.randrange(len(content))])])
        at = rng.randrange(len(changed) + 1)
        changed[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        image = read(bytes(changed))
        assert image is None or image == expected(bytes(changed))


@pytest.mark.parametrize(
    "form", [(8, 0, 0, 0, 0), (8, 3, 0, 0, 0), (8, 6, 0, 0, 0), (16, 2, 0, 0, 0), (8, 2, 0, 0, 1)]
)
def test_other_forms_are_left_to_pillow(read, form):
    assert read(png((2, 3), bytes(20), form=form)) is None
    assert read(png((2, 3), bytes(20))) is not None


@pytest.mark.parametrize("rows", [bytes(19), bytes(21), bytes([5, *[0] * 19]), b""])
def test_rows_that_do_not_fit_are_left_to_pillow(read, rows):
    assert read(png((2, 3), rows)) is None


def test_further_chunks_and_damage_are_left_to_pillow(read):
    whole = png((2, 3), bytes(20))
    assert read(png((2, 3), bytes(20), before=[chunk(b"tRNS", bytes(6))])) is None
    assert all(read(whole[:end]) is None for end in range(len(whole)))
    for at in range(len(whole)):
        assert read(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]) is None
    assert read(whole + b"more") == ((2, 3), [0], [0])  # as Pillow


def test_images_above_the_limit_and_bombs_are_left_to_pillow(read):
    with read_limits(pixels=5):
        assert read(png((2, 3), bytes(20))) is None
    assert read(png((2, 3), bytes(10**6))) is None
    assert read(png((0, 3), b"")) is None
    assert read(png((2**31, 2**31 - 1), b"")) is None


def test_maps_are_those_without_the_kernel(both, tmp_path):
    Image.fromarray(random_pixels(np.random.default_rng(0), 9, 7)).save(tmp_path / "map.png")
    ids = np.unique(np.asarray(Image.open(tmp_path / "map.png")).astype(int) @ [1, 256, 65536])
    segments = [{"id": key, "label": "cat"} for key in ids[ids > 0].tolist()]
    entry = Entry.of({"segmentation": str(tmp_path / "map.png"), "segments_info": segments})
    fast, slow = both(entry.read)
    assert np.array_equal(fast.ids, slow.ids)


@pytest.mark.parametrize(
    ("size", "height", "width", "room"), [(19, 2, 3, 6), (20, 2, 3, 5), (20, 0, 3, 0), (20, 3, 2, 6)]
)
def test_sizes_must_agree(native, size, height, width, room):
    starts, values = np.empty(room, np.int32), np.empty(room, np.int32)
    with pytest.raises(ValueError, match="png_runs"):
        _png_runs(np.zeros(size, np.uint8), height, width, starts, values, np.zeros(1, np.int64))
