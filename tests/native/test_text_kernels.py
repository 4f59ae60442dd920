"""Native and Python kernels give equal counts on adversarial texts."""

import os

import numpy as np
import pytest

from text_cases import adversarial_pairs
from thresher.kernels.text.token_f1 import token_counts
from thresher.native.texts import Texts

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "2")))
PAIRS = 600


def assert_equal(fast, slow):
    for ours, theirs in zip(fast, slow, strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_token_counts(both, seed):
    assert_equal(*both(token_counts, *adversarial_pairs(seed, PAIRS)))


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["\ud83d"], ["\x00"], ["a\x00the"], ["é" * 5]])
def test_smallest_columns(both, texts):
    assert_equal(*both(token_counts, texts, texts[::-1]))


def test_threads_change_nothing(native, monkeypatch):
    pairs = adversarial_pairs(5, 8000)
    monkeypatch.setattr("thresher.kernels.text.native_counts._BYTES_PER_THREAD", 1)
    counts = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("THRESHER_THREADS", threads)
        counts.append(token_counts(*pairs))
    assert_equal(counts[0], counts[1])
    assert_equal(counts[0], counts[2])


def test_texts_are_the_buffers_of_arrow():
    import pyarrow as pa

    texts = ["né", "", "x\x00y", "日本"]
    _, offsets, data = pa.array(texts, pa.large_string()).buffers()
    column = Texts(texts)
    assert column.data.tobytes() == data.to_pybytes()[: len(column.data)]
    assert column.offsets.tolist() == np.frombuffer(offsets, np.int64)[: len(texts) + 1].tolist()
