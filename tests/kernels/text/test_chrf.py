"""chrF against sacrebleu, to the bit: golden values, random texts, corpora."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu import CHRF

from thresher.kernels.text import chrf as kernel
from thresher.kernels.text.chrf import CorpusChrf, chrf, chrf_words, ngram_counts
from thresher.results import Reduction, Statistics

GOLDEN = Path(__file__).parents[2] / "golden" / "text"


def percent(predictions, references, *, beta=2, **options):
    return (100 * chrf(ngram_counts(predictions, references, **options), beta)).tolist()


def test_golden_values_to_the_bit():
    seen = 0
    for case in json.loads((GOLDEN / "chrf_sacrebleu.json").read_text())["cases"]:
        references = case["input"]["references"]
        for run in case["runs"]:
            found = percent([case["input"]["prediction"]] * len(references), references, **run["options"])
            assert max(found) == run["expected"], case["input"]
            seen += 1
    assert seen > 150


texts = st.text(st.sampled_from("aab .,('é東\n"), max_size=25)
options = st.sampled_from(
    [
        {},
        {"word_order": 2},
        {"char_order": 2, "word_order": 1, "beta": 1},
        {"char_order": 3, "whitespace": True, "beta": 3},
    ]
)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6), options)
def test_random_texts_to_the_bit(pairs, chosen):
    peer = CHRF(**chosen)
    expected = [peer.sentence_score(ours, [theirs]).score for ours, theirs in pairs]
    assert percent(*zip(*pairs, strict=True), **chosen) == expected


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6), options)
def test_random_corpora_to_the_bit(pairs, chosen):
    ours, theirs = map(list, zip(*pairs, strict=True))
    beta = chosen.get("beta", 2)
    counts = ngram_counts(ours, theirs, **{key: value for key, value in chosen.items() if key != "beta"})
    value = CorpusChrf(beta)(Statistics(counts._asdict()), np.ones(len(pairs)))
    assert 100 * value == CHRF(**chosen).corpus_score(ours, [theirs]).score


def test_small_blocks_change_nothing(monkeypatch):
    predictions = ["the cat sat on the mat", "a b c", "", "東京"] * 5
    references = ["the cat is on a mat", "c b a", "x", "東京都"] * 5
    whole = percent(predictions, references, word_order=2)
    monkeypatch.setattr(kernel, "BLOCK_CHARACTERS", 10)
    assert percent(predictions, references, word_order=2) == whole


@given(st.text(st.sampled_from('a.,("-!? b'), max_size=20))
def test_words_are_those_of_sacrebleu(text):
    assert chrf_words(text) == CHRF(word_order=2)._remove_punctuation(text)


def test_no_items_have_no_corpus_score():
    counts = ngram_counts([], [])
    assert chrf(counts).tolist() == []
    assert math.isnan(CorpusChrf()(Statistics(counts._asdict()), np.ones(0)))


def test_many_draws_equal_one_by_one():
    counts = ngram_counts(["ab", "cd", "x"], ["ac", "cd", "y"])
    statistics, weights = Statistics(counts._asdict()), np.array([[1.0, 0, 2], [0, 3, 0], [0, 0, 0]])
    one_by_one = [CorpusChrf()(statistics, row) for row in weights]
    np.testing.assert_allclose(CorpusChrf().many(statistics, weights), one_by_one, rtol=1e-15)
    assert math.isnan(one_by_one[2])


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_the_reduction_survives_a_round_trip(beta):
    assert Reduction.from_dict(json.loads(json.dumps(CorpusChrf(beta).to_dict()))) == CorpusChrf(beta)
