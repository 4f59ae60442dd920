import numpy as np
import pyarrow as pa
import pytest

from thresher.files import text_hashes as module
from thresher.files.text_hashes import as_texts, text_hashes


def texts_of_all_sizes(seed):
    generator = np.random.default_rng(seed)
    sizes = [*range(34), 2047, 2048, 2049, 3000]
    return [
        "".join(generator.choice(list("ab\0é"), size)) for size in generator.permutation(sizes) for _ in "12"
    ]


@pytest.mark.parametrize("seed", range(3))
def test_hashes_are_equal_just_for_equal_texts(seed):
    texts = [*texts_of_all_sizes(seed), None, *texts_of_all_sizes(seed + 1), None]
    hashes = text_hashes(as_texts(texts)).tolist()
    assert len(set(zip(texts, hashes, strict=True))) == len(set(texts)) == len(set(hashes))


def test_a_hash_does_not_depend_on_the_other_texts():
    texts = as_texts(texts_of_all_sizes(0))
    hashes = text_hashes(texts).tolist()
    for place in (1, 20, len(texts) - 1):
        assert text_hashes(texts[place:]).tolist() == hashes[place:]
        assert text_hashes(texts[:place]).tolist() == hashes[:place]
    assert text_hashes(texts[:0]).tolist() == text_hashes(as_texts([])).tolist() == []


def test_stored_texts_have_the_hashes_of_python_texts():
    texts = ["a", None, "", "né", "long" * 1000]
    stored = pa.chunked_array([pa.array(texts[:2]), pa.array(texts[2:])])
    assert text_hashes(as_texts(stored)).tolist() == text_hashes(as_texts(texts)).tolist()
    assert as_texts(pa.chunked_array([], pa.string())).to_pylist() == []
    assert as_texts(["\ud800"]).to_pylist() == [b"\xed\xa0\x80"]


def test_zeros_at_the_end_and_single_bits_change_the_hash():
    texts = ["a" * size + "\0" * zeros for size in range(20) for zeros in range(20)]
    texts += ["x" * place + letter + "x" * (40 - place) for place in range(41) for letter in "abcdefgh"]
    hashes = text_hashes(as_texts(texts))
    assert len(set(hashes.tolist())) == len(set(texts))


def test_hashes_are_spread_over_buckets():
    hashes = text_hashes(as_texts([f"item-{number}" for number in range(20_000)]))
    counts = np.bincount(hashes % 20, minlength=20)
    assert counts.min() > 800  # 1000 expected
    assert counts.max() < 1200


def test_long_texts_are_left_to_python(monkeypatch):
    monkeypatch.setattr(module, "_LONG", 8)
    texts = ["12345678", "123456789", "1234567890", "123456789"]
    hashes = text_hashes(as_texts(texts)).tolist()
    assert hashes[1] == hashes[3] == np.uint64(hash(b"123456789") % 2**64).astype(np.int64)
    assert len(set(hashes)) == 3
