"""BLEU against NLTK: golden values, and random texts of few words, to the last bit."""

import json
import math
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu
from nltk.translate.bleu_score import sentence_bleu as nltk_sentence_bleu

from thresher.kernels.text import bleu
from thresher.kernels.text.bleu import BleuCounts, CorpusBleu, bleu_counts, bleu_of, sentence_bleu
from thresher.kernels.text.smoothing import Orders, counted_orders
from thresher.kernels.text.tokenize import valor_tokens
from thresher.results import Reduction, Statistics

GOLDEN = Path(__file__).parents[2] / "golden" / "text"
METHODS = range(8)


def golden_runs(name):
    for case in json.loads((GOLDEN / f"{name}.json").read_text())["cases"]:
        for run in case["runs"]:
            yield case["input"], run


def ours(candidates, references, weights, smoothing):
    counts = bleu_counts(candidates, references, counted_orders(len(weights), smoothing))
    return counts, sentence_bleu(counts, weights, smoothing)


def nltk_method(smoothing):
    return getattr(SmoothingFunction(), f"method{smoothing}")


def peer(candidate, references, weights, smoothing):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return nltk_sentence_bleu(references, candidate, weights, nltk_method(smoothing))
        except AssertionError:
            return math.nan


def test_sentence_golden_values_to_the_bit():
    seen, undefined = 0, 0
    for given_, run in golden_runs("bleu_nltk_sentence"):
        weights, smoothing = run["options"]["weights"], run["options"]["smoothing"]
        if not given_["references"] or not weights or run["options"].get("auto_reweigh"):
            continue  # refused by the component; nltk's reweighing is not offered
        score = ours([given_["hypothesis"]], [given_["references"]], weights, smoothing)[1][0]
        if "error" in run:
            assert math.isnan(score), given_
            undefined += 1
        else:
            assert score == run["expected"], (given_, run)
            seen += 1
    assert seen > 1000
    assert undefined > 20


def test_corpus_golden_values_to_the_bit():
    seen = 0
    for given_, run in golden_runs("bleu_nltk_corpus"):
        weights, smoothing = run["options"]["weights"], run["options"]["smoothing"]
        counts, _ = ours(given_["hypotheses"], given_["references"], weights, smoothing)
        statistics = Statistics(counts._asdict())
        value = CorpusBleu(tuple(weights), smoothing)(statistics, np.ones(statistics.size))
        assert value == run["expected"], run
        seen += 1
    assert seen > 20


def test_valor_golden_values():
    seen = 0
    for given_, run in golden_runs("bleu_valor"):
        if "error" in run:
            continue
        texts = given_["references"]
        references = [valor_tokens(text) for text in ([texts] if isinstance(texts, str) else texts)]
        weights = run["options"]["weights"]
        score = ours([valor_tokens(given_["prediction"])], [references], weights, 0)[1][0]
        assert (0.0 if score < 1e-9 else score) == run["expected"], given_
        seen += 1
    assert seen > 200


words = st.lists(st.sampled_from("aaabbc"), max_size=12)
items = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=5)
some_weights = st.sampled_from([(0.25,) * 4, (0.5, 0.3, 0.2), (0.1, 0.2, 0.3, 0.3, 0.1)])


@given(items, some_weights, st.sampled_from(METHODS))
def test_random_sentences_to_the_bit(pairs, weights, smoothing):
    candidates, references = zip(*pairs, strict=True)
    found = ours(candidates, references, weights, smoothing)[1]
    expected = [peer(*pair, weights, smoothing) for pair in pairs]
    np.testing.assert_array_equal(found, expected)


@given(items, some_weights, st.sampled_from(METHODS[:5]))
def test_random_corpora_to_the_bit(pairs, weights, smoothing):
    candidates, references = zip(*pairs, strict=True)
    statistics = Statistics(ours(candidates, references, weights, smoothing)[0]._asdict())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = corpus_bleu(references, candidates, weights, nltk_method(smoothing))
    assert CorpusBleu(weights, smoothing)(statistics, np.ones(len(pairs))) == expected


@given(words, st.lists(words, min_size=1, max_size=3), st.sampled_from(METHODS))
def test_a_corpus_of_one_item_is_that_item(candidate, references, smoothing):
    counts, scores = ours([candidate], [references], (0.25,) * 4, smoothing)
    value = CorpusBleu((0.25,) * 4, smoothing)(Statistics(counts._asdict()), np.ones(1))
    np.testing.assert_array_equal(value, scores[0])


@pytest.mark.parametrize("smoothing", METHODS)
def test_generated_texts_to_the_bit_in_blocks(smoothing, monkeypatch):
    rng = random.Random(smoothing)  # noqa: S311
    monkeypatch.setattr(bleu, "BLOCK_TOKENS", 200)
    vocabulary = [f"w{number}" for number in range(40)]
    references = [[rng.choices(vocabulary, k=rng.randint(1, 40)) for _ in range(2)] for _ in range(80)]
    candidates = [[word for word in texts[0] if rng.random() < 0.8] for texts in references]
    found = ours(candidates, references, (0.25,) * 4, smoothing)[1]
    expected = [peer(*pair, (0.25,) * 4, smoothing) for pair in zip(candidates, references, strict=True)]
    np.testing.assert_array_equal(found, expected)


def test_no_items_have_no_corpus_score():
    counts, scores = ours([], [], (1.0,), 0)
    assert scores.tolist() == []
    assert math.isnan(CorpusBleu((1.0,))(Statistics(counts._asdict()), np.ones(0)))


def test_the_reduction_survives_a_round_trip():
    reduction = CorpusBleu((0.5, 0.5), 3)
    assert Reduction.from_dict(json.loads(json.dumps(reduction.to_dict()))) == reduction


@pytest.mark.parametrize("smoothing", range(5))
@pytest.mark.parametrize("weights", [(0.25,) * 4, (0.5, 0.3, 0.2), (1.0,)], ids=len)
def test_columns_give_the_bits_of_single_items(smoothing, weights):
    """Items with matches of every order are computed together."""
    rng = np.random.default_rng(3)
    length = rng.integers(1, 40, 500)
    totals = np.maximum(length[:, None] - np.arange(5), 0)
    matches = np.minimum.accumulate((totals * rng.random((500, 5)) ** 0.3).round().astype(np.int64), axis=1)
    counts = BleuCounts(matches, length, rng.integers(1, 40, 500))
    matches[:50, len(weights) - 1 :] = 0
    assert matches[:, : len(weights)].all(axis=1).sum() > 100
    columns = matches, np.maximum(totals, 1), totals, length, counts.reference_length
    singly = [
        bleu_of(Orders(*row[:4]), row[4], weights=weights, smoothing=smoothing)
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]
    np.testing.assert_array_equal(sentence_bleu(counts, weights, smoothing), singly)
