"""Deterministic pairs of predicted and reference texts, with the repetitions and edits of real summaries."""

import random
from itertools import accumulate, product

_SHORT = ["the", "of", "and", "to", "a", "in", "is", "it", "that", "for", "was", "on", "as", "with", "by"]
_SYLLABLES = ["".join(letters) for letters in product("bdfglmnprst", "aeiou")]
_ENDINGS = ["", "", "n", "s", "ing", "ed", "ation", "ly"]


def text_pairs(n_pairs: int, n_words: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Predictions and references of about `n_words` words, in lines of 12 to 28 words.

    Words follow Zipf's law. A prediction keeps between 40 and 95 percent of its reference's words; the
    others are replaced or dropped, some are inserted, and in one of three pairs a passage has moved.
    """
    rng = random.Random(seed)
    words = _vocabulary(rng, 15_000)
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    predictions, references = [], []
    for _ in range(n_pairs):
        length = max(5, round(rng.gauss(n_words, n_words / 5)))
        reference = rng.choices(words, cum_weights=weights, k=length)
        noise = rng.choices(words, cum_weights=weights, k=length)
        predictions.append(_written(rng, _edited(rng, reference, noise)))
        references.append(_written(rng, reference))
    return predictions, references


def _vocabulary(rng: random.Random, size: int) -> list[str]:
    words = dict.fromkeys(_SHORT)
    while len(words) < size:
        stem = "".join(rng.choices(_SYLLABLES, k=rng.randint(1, 3)))
        words[stem + rng.choice(_ENDINGS)] = None
    return list(words)


def _edited(rng: random.Random, words: list[str], noise: list[str]) -> list[str]:
    kept = rng.choice([0.4, 0.6, 0.8, 0.95])
    edited = []
    for word, other in zip(words, noise, strict=True):
        draw = rng.random()
        if draw < kept:
            edited.append(word)
        elif draw < (1 + kept) / 2:
            edited.append(other)
        if rng.random() < 0.05:
            edited.append(other)
    if rng.random() < 1 / 3 and len(edited) > 12:
        start, to = rng.randrange(len(edited) - 6), rng.randrange(len(edited) - 6)
        moved = edited[start : start + 6]
        del edited[start : start + 6]
        edited[to:to] = moved
    return edited


def _written(rng: random.Random, words: list[str]) -> str:
    lines, start = [], 0
    while start < len(words):
        end = start + rng.randint(12, 28)
        line = [word + "," if rng.random() < 0.08 else word for word in words[start:end]]
        lines.append(" ".join(line).capitalize() + ".")
        start = end
    return "\n".join(lines)
