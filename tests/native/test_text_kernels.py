"""Native and Python kernels give equal counts on adversarial texts."""

import json
import os
import random
from itertools import chain, product
from pathlib import Path

import numpy as np
import pytest

from text_cases import adversarial_pairs
from thresher.kernels.text.bleu import bleu_counts, bleu_counts_of_texts
from thresher.kernels.text.chrf import ngram_counts
from thresher.kernels.text.exact_match import exact_match
from thresher.kernels.text.native_counts import NATIVE_TOKENIZERS, bleu_counts_of_tokens, porter_stems
from thresher.kernels.text.normalize import NORMALIZATIONS
from thresher.kernels.text.rouge import rouge
from thresher.kernels.text.sacrebleu_tokens import SACREBLEU_TOKENIZERS
from thresher.kernels.text.stem import porter_stemmer
from thresher.kernels.text.token_f1 import token_counts
from thresher.kernels.text.tokenize import BLEU_TOKENIZERS
from thresher.native.texts import Texts

SEEDS = range(int(os.environ.get("FUZZ_SEEDS", "2")))
PAIRS = 400
TOKENIZERS = {**SACREBLEU_TOKENIZERS, **BLEU_TOKENIZERS}
TYPES = ["rouge1", "rouge2", "rouge4", "rougeL", "rougeLsum"]
ENDINGS = """
s es ies sses ss ed eed ied ing y at bl iz ational tional enci anci izer bli alli entli eli ousli
ization ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize
iciti ical ful ness ance ence er ic able ible ant ement ment ent sion ion ou ism ll e
"""
GOLDEN = Path(__file__).parents[1] / "golden" / "text"


def assert_equal(fast, slow):
    """All arrays, in lists and mappings, to the last bit."""
    if isinstance(fast, dict):
        assert fast.keys() == slow.keys()
        fast, slow = list(fast.values()), list(slow.values())
    if isinstance(fast, np.ndarray):
        np.testing.assert_array_equal(fast, slow, strict=True)
        return
    for ours, theirs in zip(fast, slow, strict=True):
        assert_equal(ours, theirs)


@pytest.fixture(params=SEEDS)
def pairs(request):
    return adversarial_pairs(request.param, PAIRS)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_token_counts(both, pairs, normalization):
    assert_equal(*both(token_counts, *pairs, normalization))


def test_exact_match(both, pairs):
    predictions, references = pairs
    references[::5] = [f"The {text.upper()}!" for text in predictions[::5]]
    fast, slow = both(exact_match, predictions, references)
    assert_equal(fast, slow)
    assert fast.sum() > 10


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [token_counts, exact_match])
def test_texts_that_the_normal_form_empties(both, count, seed):
    rng = random.Random(seed)  # noqa: S311
    parts = [
        "a",
        "An",
        "THE",
        "?",
        "-",
        "\N{HORIZONTAL ELLIPSIS}",
        " ",
        "\n",
        "\x1c",
        "\x00",
        "é",
        "\u0301",
        "x",
    ]
    texts = ["".join(rng.choices(parts, k=rng.choice([0, 1, 1, 2, 3]))) for _ in range(4000)]
    assert_equal(*both(count, texts, texts[::-1]))
    assert_equal(*both(count, texts, [f"the {text}." for text in texts]))


@pytest.mark.parametrize("use_stemmer", [False, True])
@pytest.mark.parametrize("tokenizer", ["rouge-score", "unicode"])
def test_rouge(both, pairs, tokenizer, use_stemmer):
    assert_equal(*both(rouge, *pairs, TYPES, tokenizer=tokenizer, use_stemmer=use_stemmer))


@pytest.mark.parametrize("types", [["rouge1"], ["rougeL"], ["rougeLsum", "rouge9"], []])
def test_rouge_of_some_types(both, pairs, types):
    assert_equal(*both(rouge, *pairs, types))


def test_rouge_of_long_lines(both):
    rng = random.Random(3)  # noqa: S311
    texts = [
        "\n".join(" ".join(rng.choices("abcdefgh", k=n)) for n in (700, 63, 64, 65, 0, 129)) for _ in range(8)
    ]
    assert_equal(*both(rouge, texts[:4], texts[4:], TYPES))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_bleu_of_texts(both, pairs, name):
    predictions, texts = pairs
    references = [[texts[(item + nth) % PAIRS] for nth in range(1 + item % 3)] for item in range(PAIRS)]
    assert_equal(*both(bleu_counts_of_texts, predictions, references, 5, name, TOKENIZERS[name]))


def test_bleu_of_any_tokens(both, pairs):
    for zero in ("\0", ""):  # with zero characters, and without any, which is counted by the library
        candidates, texts = ([text.replace("\0", zero).split(" ") for text in texts] for texts in pairs)
        references = [[tokens, tokens[::2], []] for tokens in texts]
        assert_equal(*both(bleu_counts, candidates, references, 4))
        candidates, references = [tokens[1:] for tokens in candidates], [[tokens[1:]] for tokens in texts]
        assert_equal(*both(bleu_counts, candidates, references, 4))


@pytest.mark.parametrize("tokens", [["", ""], [""], [], ["a", ""], ["", "a"]])
def test_bleu_of_empty_tokens(both, tokens):
    assert_equal(*both(bleu_counts, [tokens], [[["a"], tokens, [""]]], 2))


@pytest.mark.parametrize("tokens", [["a\0b", "c"], [""]])
def test_tokens_that_zero_characters_cannot_separate_are_left_to_python(native, tokens):
    assert bleu_counts_of_tokens([["a"]], [[["a", ""]]], 1).tolist() == [[1, 1, 2]]
    assert bleu_counts_of_tokens([["a"]], [[tokens]], 1) is None
    assert bleu_counts_of_tokens([tokens], [[["a"]]], 1) is None


@pytest.mark.parametrize("options", [{}, {"word_order": 2}, {"whitespace": True}, {"char_order": 1}])
def test_chrf(both, pairs, options):
    assert_equal(*both(ngram_counts, *pairs, **options))


@pytest.mark.parametrize(
    "texts", [[], [""], ["", ""], ["\ud83d"], ["\x00"], ["a\x00the"], ["é" * 5], [" \n"]]
)
def test_smallest_columns(both, texts):
    for count in (token_counts, exact_match, rouge, ngram_counts):
        assert_equal(*both(count, texts, texts[::-1]))
    for name in NATIVE_TOKENIZERS:
        references = [[text] for text in texts]
        assert_equal(*both(bleu_counts_of_texts, texts, references, 4, name, TOKENIZERS[name]))


@pytest.mark.slow
def test_characters_are_read_as_python_reads_them(both):
    dense = chain(range(0x3400), range(0xA4D0, 0xAC00), range(0xD7F0, 0xD810), range(0xF900, 0x12000, 3))
    codes = chain(dense, range(0x12000, 0x20000, 31), range(0x3400, 0x110000, 1009))
    texts = [f"5{chr(code)}K{chr(code)}" for code in codes]
    texts = ["\n".join(texts[start : start + 50]) for start in range(0, len(texts), 50)]
    others = [text.replace("5", "6") for text in texts]
    assert_equal(*both(token_counts, texts, others))
    assert_equal(*both(rouge, texts, others, ["rouge2", "rougeLsum"]))
    assert_equal(*both(ngram_counts, texts, others, char_order=2, word_order=1))
    for name in NATIVE_TOKENIZERS:
        references = [[text] for text in others]
        assert_equal(*both(bleu_counts_of_texts, texts, references, 2, name, TOKENIZERS[name]))


def test_stems_are_those_of_nltk(native):
    from nltk.stem.porter import PorterStemmer

    golden = json.loads((GOLDEN / "porter_nltk.json").read_text())["stems"]
    known = golden.items() if isinstance(golden, dict) else golden
    words = [word for word, _ in known if word.isascii()]
    rng = random.Random(0)  # noqa: S311
    endings = ENDINGS.split()
    for _ in range(20_000):
        stem = "".join(rng.choice("aeiouybcdlstwxz1") for _ in range(rng.randrange(1, 6)))
        words.append(stem + "".join(rng.choice(endings) for _ in range(rng.randrange(4))))
    words += ["".join(letters) for length in range(1, 5) for letters in product("aeysldi", repeat=length)]
    expected = PorterStemmer().stem
    assert porter_stems(words) == [expected(word) for word in words]


def test_the_stemmer_leaves_words_beyond_ascii_to_nltk(both):
    words = ["naïvely", "Über", "ÉÉing", "running", "Running", "his"]
    fast, slow = both(lambda: [porter_stemmer()(word) for word in words])
    assert fast == slow


@pytest.mark.parametrize("count", [token_counts, rouge, ngram_counts])
def test_threads_change_nothing(native, monkeypatch, count):
    pairs = adversarial_pairs(5, 3000)
    monkeypatch.setattr("thresher.kernels.text.native_counts._BYTES_PER_THREAD", 1)
    counts = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("THRESHER_THREADS", threads)
        counts.append(count(*pairs))
    assert_equal(counts[0], counts[1])
    assert_equal(counts[0], counts[2])


def test_columns_of_unequal_length_are_refused(native):
    with pytest.raises(ValueError, match="contradict"):
        rouge(["a", "b"], ["a"])


def test_texts_are_the_buffers_of_arrow():
    import pyarrow as pa

    texts = ["né", "", "x\x00y", "日本"]
    _, offsets, data = pa.array(texts, pa.large_string()).buffers()
    column = Texts(texts)
    assert column.data.tobytes() == data.to_pybytes()[: len(column.data)]
    assert column.offsets.tolist() == np.frombuffer(offsets, np.int64)[: len(texts) + 1].tolist()
