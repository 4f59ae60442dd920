"""Native and numpy decompression of COCO's run lengths, and back."""

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.detection.run_length_texts import compressed, decompressed


@pytest.mark.parametrize("seed", range(5))
def test_equal_and_back(both, seed):
    rng = np.random.default_rng(seed)
    counts = [rng.integers(0, 1 << rng.integers(1, 45), rng.integers(0, 40)) for _ in range(30)]
    texts = compressed(counts)
    fast, slow = both(decompressed, texts)
    for one, other, wanted in zip(fast, slow, counts, strict=True):
        assert one.tolist() == other.tolist() == wanted.tolist()
    assert fast[0].dtype == slow[0].dtype == np.int64


@pytest.mark.parametrize("text", [b"22~", b"P", b"2!", b"_" * 12 + b"0", b"0" * 3 + b"\xff"])
def test_damaged(both, text):
    def message(given):
        with pytest.raises(InputError, match="damaged") as caught:
            decompressed(given)
        return str(caught.value)

    fast, slow = both(message, [b"221", text])
    assert fast == slow


def test_any_bytes_are_read_equally_or_refused(both):
    rng = np.random.default_rng(0)

    def attempt(texts):
        try:
            return [runs.tolist() for runs in decompressed(texts)]
        except InputError as error:
            return str(error)

    for _ in range(300):
        texts = [bytes(rng.integers(46, 113, rng.integers(0, 9)).astype(np.uint8)) for _ in range(3)]
        fast, slow = both(attempt, texts)
        assert fast == slow
