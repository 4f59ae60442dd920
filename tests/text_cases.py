"""Random pairs of texts that make native and Python kernels differ where a rule is read differently."""

import random

_ENGLISH = "the a an The AN cat cats running runs flies x_y a_an a. (the) the-the don't U.S. .. re-use well-"
_NUMBERS = "$3 $3.50 $-3 3.5 1,000 -5 5- a.b 3. .3 ,, &amp; &lt; &amp;lt; &quot; <skipped> <skip ped>"
_STEMS = (
    "hopping hoped agreed feed plastered relational sensational possibly dying died spied sky news innings"
)
_LETTERS = (
    "na\u00efve Stra\u00dfe \u0130stanbul x\u0130y K 5\u212a \u212aelvin \u212a\u212a l'\u00e9t\u00e9 a\u0301"
)
_SCRIPTS = (
    "\u03a3\u0391\u03a3 \u1f48\u0394\u03a5\u03a3 \u65e5\u672c \u0e44\u0e17\u0e22 $\u0663 \u00aa \u00b2 \u00bd"
)
_SIGNS = "\u2460 \U0001f600 \U0001f469\u200d\U0001f467 \ufb01 \u01c4 \u1e9e \u203f \u0300 \u200b \ud83d"
_SPACES = "\n \n\n \r\n \t \v \f \u3000 \xa0 \x00 \x1c \x1f \x85 \u2028 -\n \n- 5-\n a\x00the"
WORDS = [*f"{_ENGLISH} {_NUMBERS} {_STEMS} {_LETTERS} {_SCRIPTS} {_SIGNS}".split(), *_SPACES.split(" ")]


def adversarial_text(rng: random.Random) -> str:
    """An empty text, random characters, odd words with or without spaces, ties, or lines of any length."""
    kind = rng.random()
    if kind < 0.04:
        return ""
    if kind < 0.25:
        limits = (128, 0x250, 0x3000, 0x110000)
        return "".join(chr(rng.randrange(rng.choice(limits))) for _ in range(rng.randrange(30)))
    if kind < 0.6:
        return rng.choice(["", " "]).join(rng.choice(WORDS) for _ in range(rng.randrange(40)))
    if kind < 0.8:
        return " ".join(rng.choice("abcd") for _ in range(rng.randrange(200)))
    longest = rng.choice([5, 30, 90, 150])
    lengths = (rng.randrange(longest) for _ in range(rng.randrange(1, 6)))
    return "\n".join(" ".join(rng.choice("abcde") for _ in range(length)) for length in lengths)


def adversarial_pairs(seed: int, n_pairs: int) -> tuple[list[str], list[str]]:
    """Predictions and references; half of the references are edited predictions, a few are equal."""
    rng = random.Random(seed)  # noqa: S311
    predictions, references = [], []
    for _ in range(n_pairs):
        prediction = adversarial_text(rng)
        reference = list(prediction)
        for _ in range(rng.randrange(8)):
            if reference:
                reference[rng.randrange(len(reference))] = rng.choice(WORDS)
        predictions.append(prediction)
        references.append("".join(reference) if rng.random() < 0.5 else adversarial_text(rng))
    return predictions, references
