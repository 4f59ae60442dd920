"""Native and numpy counts of label maps are equal."""

import os

import numpy as np
import pytest

from thresher.kernels.segmentation.pixels import _native_byte_pair_counts, _native_pair_counts, compare_maps

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "3")))
KINDS = ["bool", "int8", "uint8", "int16", ">u2", "int32", "uint32", "int64", ">i8", "uint64"]
SIZES = [(0, 0), (0, 5), (1, 1), (7, 3), (50, 41), (90, 130)]


def compared(truth, predicted, **options):
    counts = compare_maps(truth, predicted, **options)
    return counts.values, counts.pairs.tolist(), counts.truth.tolist(), counts.unlabelled


def largest(kind):
    return np.inf if kind == "bool" else np.iinfo(kind).max


def label_map(rng, size, kind, lowest, highest):
    """Runs of equal labels with noise, in Fortran's order or every second pixel of a larger map."""
    values = rng.integers(lowest, highest, (2 * size[0], 2 * size[1]))
    values = np.repeat(values, 2, axis=1)[:, : 2 * size[1]].astype(kind)
    return [values[::2, ::2], np.asfortranarray(values)[: size[0], : size[1]]][rng.integers(2)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_label_maps(both, seed, kind):
    rng = np.random.default_rng(seed)
    other = KINDS[rng.integers(len(KINDS))]
    for size in SIZES:
        for lowest, highest in ((0, 2), (0, 120), (100, 127), (0, 1000), (10**6, 10**6 + 300)):
            if highest > min(map(largest, (kind, other))):
                continue
            maps = [label_map(rng, size, name, lowest, highest) for name in (kind, other)]
            fast, slow = both(compared, *maps)
            assert fast == slow
            fast, slow = both(compared, *maps, ignore=lowest, background=lowest + 1)
            assert fast == slow


def test_negative_numbers_that_are_ignored(both):
    rng = np.random.default_rng(0)
    maps = [rng.integers(-1, 100, (60, 70)).astype(kind) for kind in ("int8", "int16")]
    fast, slow = both(compared, *maps, ignore=-1)
    assert fast == slow
    assert fast[0] == tuple(range(100))


def test_numbers_beyond_64_bits_with_sign(both):
    maps = [np.full((2, 2), 2**64 - 1, np.uint64), np.full((2, 2), 2**64 - 2, np.uint64)]
    fast, slow = both(compared, *maps)
    assert fast == slow


def test_threads_change_nothing(native, monkeypatch):
    monkeypatch.setattr("thresher.kernels.segmentation.pixels._PIXELS_PER_THREAD", 1)
    rng = np.random.default_rng(0)
    for kind, highest in (("uint16", 300), ("uint8", 256)):
        maps = [rng.integers(0, values, (700, 700)).astype(kind) for values in (90, highest)]
        counts = []
        for threads in ("1", "2", "5"):
            monkeypatch.setenv("THRESHER_THREADS", threads)
            counts.append(compared(*maps))
        assert counts[0] == counts[1] == counts[2]


@pytest.mark.parametrize(("kind", "ends"), [("uint8", (0, 255)), ("uint8", (7, 7)), ("int8", (-1, 127))])
def test_bytes_of_the_whole_range(both, kind, ends):
    rng = np.random.default_rng(1)
    maps = [rng.integers(ends[0], ends[1] + 1, (90, 70)).astype(kind) for _ in range(2)]
    fast, slow = both(compared, *maps, ignore=ends[0])
    assert fast == slow


def test_bytes_that_do_not_fit_the_counts_are_refused(native):
    pixels, counts, found = np.array([3, 5], np.uint8), np.zeros(16, np.int64), np.zeros(2, np.int64)
    _native_byte_pair_counts(pixels, pixels[::-1].copy(), 0, 1, counts, found)
    assert found.tolist() == [3, 3]
    assert np.argwhere(counts.reshape(4, 4)).tolist() == [[0, 2], [2, 0]]
    for wrong in (
        (pixels, pixels[:1], 0, 1, counts, found),
        (pixels, pixels, 0, 1, counts[:15], found),
        (pixels, pixels, 0, 1, counts, found[:1]),
    ):
        with pytest.raises(ValueError, match="contradict"):
            _native_byte_pair_counts(*wrong)


def test_values_beyond_the_table_are_refused(native):
    counts, pixels = np.zeros((3, 3), np.int64), np.array([0, 1, 2, 3], np.uint8)
    _native_pair_counts(pixels[:3], pixels[:3], 1, 0, 0, 3, 1, counts)
    assert counts.tolist() == np.eye(3).tolist()
    for wrong in (
        (pixels, pixels, 1, 0, 0, 3, 1, counts),
        (pixels[:3], pixels[:2], 1, 0, 0, 3, 1, counts),
        (pixels[:3], pixels[:3], 1, 0, 1, 3, 1, counts),
        (pixels[:3], pixels[:3], 2, 0, 0, 3, 1, counts),
        (pixels[:3], pixels[:3], 1, 0, 0, 2, 1, counts),
    ):
        with pytest.raises(ValueError, match="contradict"):
            _native_pair_counts(*wrong)


@pytest.mark.parametrize("kind", ["uint8", "int8", "uint16", "int64"])
@pytest.mark.parametrize("place", [0, 63, 64, 130, 199])
def test_a_value_beyond_the_table_is_refused_wherever_it_is(native, kind, place):
    pixels = np.full(200, 5, kind)
    higher, lower = pixels.copy(), pixels.copy()
    higher[place], lower[place] = 103, 3
    arguments = (pixels.itemsize, np.dtype(kind).kind == "i", 4, 99, 1)
    counts = np.zeros((99, 99), np.int64)
    _native_pair_counts(pixels.view(np.uint8), pixels.view(np.uint8), *arguments, counts)
    assert counts[1, 1] == counts.sum() == len(pixels)
    for wrong in (higher, lower):
        for maps in ((pixels, wrong), (wrong, pixels)):
            with pytest.raises(ValueError, match="contradict"):
                _native_pair_counts(*(side.view(np.uint8) for side in maps), *arguments, counts)
