"""BLEU by sacrebleu's conventions, to the last bit."""

import json
import logging
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from thresher.kernels.text.bleu import bleu_counts
from thresher.kernels.text.sacrebleu import (
    SACREBLEU_SMOOTHINGS,
    SacrebleuCorpus,
    SacrebleuFormula,
    SacrebleuLine,
    sacrebleu_sentences,
)
from thresher.results import Breakdown, Reduction, Statistics

words = st.lists(st.sampled_from("aaabbc"), max_size=9)
items = st.lists(st.tuples(words, st.lists(words, min_size=2, max_size=2)), min_size=1, max_size=5)
smoothings = st.sampled_from([*SACREBLEU_SMOOTHINGS.items(), ("floor", 0.01), ("add-k", 0.5)])


@pytest.fixture(autouse=True)
def _quiet():
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)


def counted(pairs, orders):
    candidates, references = zip(*pairs, strict=True)
    counts = bleu_counts(candidates, references, orders)
    sizes = np.array([len(texts) for texts in references])
    return counts, Statistics({**counts._asdict(), "references": sizes})


def peer(smoothing, orders, **options):
    method, value = smoothing
    return BLEU(
        tokenize="none",
        smooth_method=method,
        smooth_value=value,
        max_ngram_order=orders,
        force=True,
        **options,
    )


def texts_of(pairs):
    return [" ".join(candidate) for candidate, _ in pairs], [
        [" ".join(texts[place]) for _, texts in pairs] for place in (0, 1)
    ]


@given(items, smoothings, st.sampled_from([1, 2, 4, 5]), st.booleans())
def test_random_sentences_to_the_bit(pairs, smoothing, orders, effective):
    counts, _ = counted(pairs, orders)
    scores = sacrebleu_sentences(counts, SacrebleuFormula(*smoothing, effective))
    metric = peer(smoothing, orders, effective_order=effective)
    expected = [
        metric.sentence_score(" ".join(candidate), list(map(" ".join, texts))).score / 100
        for candidate, texts in pairs
    ]
    assert scores.tolist() == expected


@given(items, smoothings, st.sampled_from([1, 2, 4, 5]))
def test_random_corpora_to_the_bit(pairs, smoothing, orders):
    _, statistics = counted(pairs, orders)
    metric = peer(smoothing, orders)
    score = metric.corpus_score(*texts_of(pairs))
    value = SacrebleuCorpus(orders, *smoothing)(statistics, np.ones(len(pairs)))
    assert value == score.score / 100
    line = SacrebleuLine(orders, *smoothing, "none", lowercase=False)
    (row,) = line(statistics, np.ones(len(pairs))).rows()
    assert row["signature"] == str(metric.get_signature())
    assert row["brevity_penalty"] == score.bp
    assert (row["length"], row["reference_length"]) == (score.sys_len, score.ref_len)
    assert [row[f"precision_{n}"] for n in range(1, orders + 1)] == score.precisions


def test_draws_are_the_values_of_what_was_drawn():
    rng = random.Random(1)  # noqa: S311
    pairs = [(rng.choices("abcd", k=6), [rng.choices("abcd", k=6)] * 2) for _ in range(6)]
    _, statistics = counted(pairs, 4)
    weights = np.array([[1.0, 0, 2, 0, 1, 1], [0, 0, 0, 0, 0, 0]])
    drawn = SacrebleuCorpus().many(statistics, weights)
    again = [pairs[0], pairs[2], pairs[2], pairs[4], pairs[5]]
    assert drawn[0] == pytest.approx(SacrebleuCorpus()(counted(again, 4)[1], np.ones(5)), rel=1e-12)
    assert math.isnan(drawn[1])


def test_a_varying_number_of_references_is_in_the_signature():
    counts = bleu_counts([["a"], ["a"]], [[["a"]], [["a"], ["b"]]], 4)
    statistics = Statistics({**counts._asdict(), "references": np.array([1, 2])})
    line = SacrebleuLine(4, "floor", 0.1, "13a", lowercase=True)
    (row,) = line(statistics, np.ones(2)).rows()
    assert row["signature"] == "nrefs:var|case:lc|eff:no|tok:13a|smooth:floor[0.10]|version:2.6.0"
    (row,) = line(statistics, np.array([0.0, 1.0])).rows()
    assert row["signature"].startswith("nrefs:2|")
    assert list(line(statistics, np.zeros(2)).rows()) == []


def test_they_survive_a_round_trip():
    corpus, line = SacrebleuCorpus(3, "floor", 0.2), SacrebleuLine(3, "floor", 0.2, "zh", lowercase=True)
    assert Reduction.from_dict(json.loads(json.dumps(corpus.to_dict()))) == corpus
    assert Breakdown.from_dict(json.loads(json.dumps(line.to_dict()))) == line
