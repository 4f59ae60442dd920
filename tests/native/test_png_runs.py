"""Native runs of PNG files are those of Pillow's pixels, or the file is left to Pillow."""

import io
import os
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
SEEDS = 4 * int(os.environ.get("FUZZ_SEEDS", "3"))


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
    ("height", "width", "room"), [(2, 3, 5), (2, 3, 7), (0, 3, 0), (2**31, 1, 6), (1, -6, 6)]
)
def test_sizes_must_agree(native, height, width, room):
    with pytest.raises(ValueError, match="png_runs"):
        found_runs(zlib.compress(bytes(20)), height, width, room)


def found_runs(packed, height, width, room):
    starts, values, found = np.empty(room, np.int32), np.empty(room, np.int32), np.zeros(1, np.int64)
    _png_runs(np.frombuffer(packed, np.uint8), height, width, starts, values, found)
    runs = int(found[0])
    return None if runs < 0 else (starts[:runs].tolist(), values[:runs].tolist())


def one_row(rng):
    """A row of pixels of noise, of long and short repetitions, or of few colours."""
    width = rng.choice([1, 2, 5, 300, 3000, 30000])
    part = bytes(
        rng.choices(
            range(256), [1 / (1 + at) ** rng.choice([0, 0.5, 2]) for at in range(256)], k=BYTES * width
        )
    )
    start = rng.choice([1, 2, 3, 17, 700, len(part)])
    return ((part[:start] * (1 + len(part) // start)) if rng.random() < 0.7 else part)[: len(part)]


def packed_by(rng, content):
    """A zlib stream of any settings, perhaps of several blocks."""
    strategies = [zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FILTERED]
    packer = zlib.compressobj(
        rng.randrange(10), zlib.DEFLATED, rng.randrange(9, 16), rng.randrange(1, 10), rng.choice(strategies)
    )
    cut = rng.randrange(len(content))
    flush = rng.choice([zlib.Z_NO_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH, zlib.Z_BLOCK])
    return (
        packer.compress(content[:cut]) + packer.flush(flush) + packer.compress(content[cut:]) + packer.flush()
    )


def unpacked(raw):
    """What zlib unpacks from a stream without header and checksum; None for one that is damaged."""
    decoder = zlib.decompressobj(-15)
    try:
        content = decoder.decompress(raw, 10**6)
    except zlib.error:
        return None
    return content if decoder.eof and not decoder.unused_data else None


@pytest.mark.parametrize("seed", range(SEEDS))
def test_streams_are_unpacked_as_by_zlib_and_damaged_ones_refused(native, seed):
    rng = random.Random(seed)  # noqa: S311
    row = one_row(rng)
    width = len(row) // BYTES
    packed = packed_by(rng, b"\0" + row)
    assert found_runs(packed, 1, width, width) == runs(np.frombuffer(row, np.uint8).reshape(1, -1, BYTES))
    for _ in range(40):
        raw = bytearray(packed[2:-4])
        at = rng.choice([rng.randrange(min(40, len(raw))), rng.randrange(len(raw))])
        raw[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        content = unpacked(bytes(raw))
        found = found_runs(
            b"\x78\x9c" + raw + struct.pack(">I", zlib.adler32(content or b"")), 1, width, width
        )
        if content is None or len(content) != 1 + len(row) or content[0] > 4:
            assert found is None
        elif content[0] == 0:
            assert found == runs(np.frombuffer(content[1:], np.uint8).reshape(1, -1, BYTES))


@pytest.mark.parametrize("at", range(-6, 6))
def test_headers_and_checksums_are_checked(native, at):
    packed = bytearray(zlib.compress(b"\0" + bytes(range(30))))
    assert found_runs(packed, 1, 10, 10)
    packed[at] ^= 1
    assert found_runs(packed, 1, 10, 10) is None
