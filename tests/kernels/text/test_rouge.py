"""ROUGE against rouge-score 0.1.2, to the last bit: golden values, summaries, texts full of ties."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from thresher.errors import InputError
from thresher.kernels.text import interning, union_lcs
from thresher.kernels.text.rouge import rouge

GOLDEN = Path(__file__).parents[2] / "golden" / "text"
TYPES = ["rouge1", "rouge2", "rouge3", "rouge9", "rougeL", "rougeLsum"]
QUANTITIES = ("precision", "recall", "fmeasure")


def peer(predictions, references, types=TYPES, *, use_stemmer=False):
    """The same shape as ours: type -> quantity -> values."""
    scorer = RougeScorer(types, use_stemmer)
    scores = [scorer.score(*pair) for pair in zip(references, predictions, strict=True)]
    return {
        name: {quantity: [getattr(score[name], quantity) for score in scores] for quantity in QUANTITIES}
        for name in types
    }


def ours(predictions, references, types=TYPES, **options):
    scores = rouge(predictions, references, types, **options)
    return {
        name: {quantity: values.tolist() for quantity, values in scores[name]._asdict().items()}
        for name in types
    }


def edited(rng, words):
    """A few words dropped, replaced, repeated or moved."""
    kept = [rng.choice(words) if rng.random() < 0.2 else word for word in words if rng.random() > 0.15]
    cut = rng.randrange(len(kept) + 1)
    return kept[cut:] + kept[:cut] if rng.random() < 0.3 else kept


def lines(rng, words, longest):
    out, place = [], 0
    while place < len(words):
        step = rng.randint(1, longest)
        out.append(" ".join(words[place : place + step]) + rng.choice([".", ",", "", " -"]))
        place += step
    return "\n".join(out)


def generated(n_pairs, n_words, longest_line, seed):
    rng = random.Random(seed)  # noqa: S311
    vocabulary = ["the", "of", "and", *(f"{rng.choice('bcdfgh')}word{i}" for i in range(300))]
    weights = [1 / (rank + 2) for rank in range(len(vocabulary))]
    predictions, references = [], []
    for _ in range(n_pairs):
        words = rng.choices(vocabulary, weights, k=max(1, int(rng.gauss(n_words, n_words / 4))))
        references.append(lines(rng, words, longest_line))
        predictions.append(lines(rng, edited(rng, words), longest_line))
    return predictions, references


def golden_runs():
    cases = json.loads((GOLDEN / "rouge.json").read_text())["cases"]
    for case in cases:
        for run in case["runs"]:
            if "error" not in run:
                yield case["input"], run["options"], run["expected"]


@pytest.mark.parametrize("use_stemmer", [False, True])
def test_golden_values_to_the_bit(use_stemmer):
    seen = 0
    for given_, options, expected in golden_runs():
        if options["use_stemmer"] != use_stemmer:
            continue
        references = given_["references"]
        predictions = [given_["prediction"]] * len(references)
        scores = rouge(predictions, references, options["rouge_types"], use_stemmer=use_stemmer)
        for rouge_type, values in expected.items():
            best = int(np.argmax(scores[rouge_type].fmeasure))
            found = {name: column[best] for name, column in scores[rouge_type]._asdict().items()}
            assert found == values, (given_, rouge_type)
            seen += 1
    assert seen > 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_pairs", "n_words", "longest_line"), [(300, 30, 12), (60, 150, 28), (30, 200, 90), (30, 100, 1000)]
)
def test_generated_summaries_to_the_bit(n_pairs, n_words, longest_line):
    pairs = generated(n_pairs, n_words, longest_line, seed=n_words)
    assert ours(*pairs) == peer(*pairs)


def test_stemmed_summaries_to_the_bit():
    pairs = generated(150, 40, 15, seed=5)
    assert ours(*pairs, use_stemmer=True) == peer(*pairs, use_stemmer=True)


tie_heavy = st.text(alphabet="aab  \nc", max_size=60)


@given(st.lists(st.tuples(tie_heavy, tie_heavy), min_size=1, max_size=8))
def test_texts_full_of_ties_to_the_bit(pairs):
    predictions, references = zip(*pairs, strict=True)
    assert ours(predictions, references) == peer(predictions, references)


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), min_size=1, max_size=5))
def test_any_characters_to_the_bit(pairs):
    predictions, references = zip(*pairs, strict=True)
    assert ours(predictions, references) == peer(predictions, references)


def test_small_blocks_change_nothing(monkeypatch):
    pairs = generated(60, 40, 9, seed=2)
    whole = ours(*pairs)
    monkeypatch.setattr(interning, "BLOCK_CHARACTERS", 500)
    monkeypatch.setattr(interning, "_LARGE_VOCABULARY", 100)
    monkeypatch.setattr(union_lcs, "BLOCK_CELLS", 64)
    assert ours(*pairs) == whole


@pytest.mark.parametrize(
    "text",
    [
        "Быстрая коричневая лиса",
        "敏捷的棕色狐狸",
        "तेज़ भूरी लोमड़ी",
        "すばやい茶色の狐",
        "ไทยแลนด์",
        "الثعلب البني",
        "can't",
        "\uff26\uff55\uff4c\uff4c",
    ],
)
def test_the_unicode_tokenizer_reads_every_script(text):
    types = ["rouge1", "rougeL", "rougeLsum"]
    unicode_scores = rouge([text], [text], types, tokenizer="unicode")
    assert [scores.fmeasure[0] for scores in unicode_scores.values()] == [1.0, 1.0, 1.0]
    assert rouge([text], [text], ["rouge1"])["rouge1"].fmeasure[0] == (1.0 if text.isascii() else 0.0)


def test_both_tokenizers_agree_on_ascii_texts():
    pairs = generated(40, 30, 8, seed=9)
    assert ours(*pairs, tokenizer="unicode") == ours(*pairs)


def test_no_pairs_have_no_scores():
    assert ours([], [])["rouge1"]["fmeasure"] == []


@pytest.mark.parametrize("rouge_type", ["rouge0", "rouge10", "rougeW", "rouge", "ROUGE1", "rouge1\n"])
def test_unknown_types_are_refused(rouge_type):
    with pytest.raises(InputError, match="choose rouge1 to rouge9, rougeL or rougeLsum"):
        rouge(["a"], ["a"], [rouge_type])
