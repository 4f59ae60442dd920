"""TER against sacrebleu: texts whose phrases were moved, long ones beyond the beam, many candidates."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import TER
from sacrebleu.metrics.lib_ter import translation_edit_rate

from thresher.kernels.text.interning import Vocabulary
from thresher.kernels.text.ter import CorpusTer, ter, ter_counts, translation_edits
from thresher.results import Statistics

words = st.lists(st.sampled_from("aabcdefgh"), max_size=12)


def edits(hypothesis, reference):
    vocabulary = Vocabulary()
    return translation_edits(vocabulary.encode(hypothesis), vocabulary.encode(reference))


def moved(rng, text, moves, longest):
    """The text with some of its phrases moved."""
    text = list(text)
    for _ in range(moves if text else 0):
        start, place, size = rng.randrange(len(text)), rng.randrange(len(text)), rng.randint(1, longest)
        phrase = text[start : start + size]
        del text[start : start + size]
        text[place:place] = phrase
    return text


@given(words, words)
def test_edits_of_random_words(hypothesis, reference):
    assert edits(hypothesis, reference) == translation_edit_rate(hypothesis, reference)[0]


@pytest.mark.parametrize("seed", range(60))
def test_edits_of_moved_phrases(seed):
    rng = random.Random(seed)  # noqa: S311
    vocabulary = [f"w{number}" for number in range(rng.choice([3, 12, 60]))]
    hypothesis = rng.choices(vocabulary, k=rng.randint(1, 45))
    reference = moved(rng, hypothesis, rng.randint(0, 5), 6)
    for place in rng.choices(range(len(reference)), k=rng.randint(0, 3)):
        reference[place] = rng.choice(vocabulary)
    assert edits(hypothesis, reference) == translation_edit_rate(hypothesis, reference)[0]


# `translation_edit_rate` of sacrebleu 2.6.0 returns these edits and takes 5 s for them.
@pytest.mark.parametrize(
    ("length", "reference_length", "vocabulary", "expected"),
    [
        (120, 120, 90, 27),
        (120, 120, 4, 25),
        (2, 160, 30, 158),
        (160, 2, 30, 158),
        (0, 90, 5, 90),
        (90, 40, 20, 57),
        (60, 140, 2, 80),
    ],
)
def test_edits_beyond_the_beam_and_the_limit_of_candidates(length, reference_length, vocabulary, expected):
    rng = random.Random(length)  # noqa: S311
    names = [f"w{number}" for number in range(vocabulary)]
    hypothesis = rng.choices(names, k=length)
    reference = moved(rng, hypothesis, 6, 15)[:reference_length]
    reference += rng.choices(names, k=reference_length - len(reference))
    assert edits(hypothesis, reference) == expected


def test_a_corpus_is_that_of_sacrebleu():
    rng = random.Random(7)  # noqa: S311
    hypotheses = [rng.choices("abcd", k=rng.randint(0, 8)) for _ in range(80)]
    references = [[rng.choices("abcd", k=rng.randint(0, 8)) for _ in range(2)] for _ in hypotheses]
    texts = [" ".join(words) for words in hypotheses]
    streams = [[" ".join(each[place]) for each in references] for place in (0, 1)]
    statistics = Statistics(ter_counts(hypotheses, references)._asdict())
    value = CorpusTer()(statistics, np.ones(80))
    assert value == pytest.approx(TER().corpus_score(texts, streams).score / 100, rel=1e-12)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "rate"), [("", "", 0.0), ("a b", "", 1.0), ("", "a b", 1.0)]
)
def test_empty_texts(hypothesis, reference, rate):
    counts = ter_counts([hypothesis.split()], [[reference.split()]])
    assert ter(counts).tolist() == [rate]
    assert CorpusTer()(Statistics(counts._asdict()), np.ones(1)) == rate
    assert rate == TER().sentence_score(hypothesis, [reference]).score / 100


def test_no_items_have_no_rate():
    assert math.isnan(CorpusTer()(Statistics(ter_counts([], [])._asdict()), np.ones(0)))
