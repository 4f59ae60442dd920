"""Binary classification by the probability of one label: the positive label and the other's score."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError

_PAIRS = (
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
    ("no", "yes"),
    ("n", "y"),
    ("f", "t"),
    ("negative", "positive"),
    ("neg", "pos"),
)
"""Negative and positive label of the usual pairs, whose positive label need not be named; any case."""
_POSITIVE = {positive for _, positive in _PAIRS}
_NEGATIVE = {negative for negative, _ in _PAIRS}
ROUNDING = 1e-6
"""Softmax in 32 bits gives up to 1.0000002, some sums of many terms a little more."""
CUT = 0.5
"""The positive label is predicted from this probability on, as scikit-learn's `p >= 0.5`."""
_BOTH = 2
_SHOWN = 5


@dataclass(frozen=True)
class TwoLabels:
    """The labels of a binary classifier.

    Attributes:
        positive: the label whose probability the scores are.
        negative: the other label.
        is_usual: whether the positive label is the conventional one: 1, true, yes.
    """

    positive: str
    negative: str
    is_usual: bool = False

    @classmethod
    def of(cls, seen: Collection[str], positive: Any = None, where: str = "the data") -> "TwoLabels":
        """Name both labels.

        Args:
            seen: the labels that occur as truth or prediction; one or two. A label that never occurs is
                inferred: the other one of a usual pair, else `not LABEL`.
            positive: the positive label; required unless the pair is a usual one (0 and 1, -1 and 1, false
                and true, no and yes).
            where: the source of the data, for messages.

        Raises:
            InputError: for more than two labels, and for an unknown or missing positive label.

        >>> TwoLabels.of({"0", "1"}).positive, TwoLabels.of({"ham", "spam"}, "spam").negative
        ('1', 'ham')
        """
        shown = ", ".join(map(repr, sorted(seen)[:_SHOWN])) + (", ..." if len(seen) > _SHOWN else "")
        if len(seen) > _BOTH:
            raise InputError(
                f"{where} has {counted(len(seen), 'label')} ({shown}), and the probability of one of them "
                "does not determine the others: give a score for each label, or only two labels"
            )
        usual = _usual(seen)
        if positive is None:
            if usual is None:
                raise InputError(
                    f"{where}: scores are the probability of one of the labels {shown or '(none)'}; name it "
                    "with --positive LABEL (positive= in Python)"
                )
            return usual
        name = _spelling_in_data(positive, seen, usual)
        if name not in seen and len(seen) == _BOTH:
            raise InputError(f"{where}: the positive label {name!r} is not one of the labels {shown}")
        if usual is not None and name in (usual.positive, usual.negative):
            return usual if name == usual.positive else cls(usual.negative, usual.positive)
        return cls(name, next((label for label in seen if label != name), f"not {name}"))

    def scores(self, probability: float) -> dict[str, float]:
        """Both scores; the positive label comes first, so that it wins a tie.

        >>> TwoLabels("spam", "ham").scores(0.75)
        {'spam': 0.75, 'ham': 0.25}
        """
        return {self.positive: probability, self.negative: 1 - probability}

    def other(self, label: str) -> str:
        """The other of the two."""
        return self.negative if label == self.positive else self.positive


def polarity(label: str) -> int:
    """1 for 1, true, yes and the like, -1 for 0, -1, false, no; 0 for other labels.

    >>> polarity("True"), polarity("-1"), polarity("spam")
    (1, -1, 0)
    """
    name = label.lower()
    return 1 if name in _POSITIVE else -1 if name in _NEGATIVE else 0


def is_probability(value: Any) -> bool:
    """Whether a value is a number from 0 to 1, up to rounding."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and -ROUNDING <= value <= 1 + ROUNDING


def label_text(label: Any) -> str:
    """A label as a string: booleans in lower case, whole numbers without a decimal point.

    >>> label_text(True), label_text(1.0), label_text("spam")
    ('true', '1', 'spam')
    """
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _spelling_in_data(positive: Any, seen: Collection[str], usual: TwoLabels | None) -> str:
    """The positive label in the spelling of the data: `True` and `1` may be `true` there."""
    name = label_text(positive)
    if name in seen:
        return name
    known = [*seen, *((usual.positive, usual.negative) if usual else ())]
    same = [label for label in known if label.lower() == name.lower()]
    alike = [label for label in known if polarity(name) and polarity(label) == polarity(name)]
    return next(iter(same or alike), name)


def _usual(seen: Collection[str]) -> TwoLabels | None:
    """The usual pair that contains all labels, in the spelling of the data."""
    names = {label.lower(): label for label in seen}
    pair = next((pair for pair in _PAIRS if names and names.keys() <= set(pair)), None)
    if pair is None or len(names) < len(seen):
        return None
    spelling = next(iter(seen))
    negative, positive = (names.get(name, _spelled(name, spelling)) for name in pair)
    return TwoLabels(positive, negative, is_usual=True)


def _spelled(name: str, like: str) -> str:
    """A name in the case of another: `False` next to `True`."""
    return name.upper() if like.isupper() and len(like) > 1 else name.title() if like.istitle() else name
