r"""The grammar of requirements: thresholds, slices, and the reader of their text.

    requirement = quantity operator threshold
                | "no-regression" [ "(" name { "," name } ")" ] [ slice ] [ "within" number ]
    quantity    = name [ slice ]
                | ( "min" | "max" | "coverage" | "held_out" ) "(" name [ slice ] ")"
                | "items" "(" name [ slice ] operator number ")"
    slice       = "[" column "=" entry "]" | "[" "by" column "]" | "[" condition "]"
    threshold   = number | "baseline" [ ( "+" | "-" ) number ]
    operator    = ">=" | ">" | "<=" | "<"
    number      = digits [ "%" ]

Names that contain one of `[ ] ( ) < > = , "`, and entries that contain a `]`, are written in double quotes.
Conditions are those of `thresher report --slice`, e.g. `language == "de" and rating >= 4`.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Literal, cast, overload

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference import Interval

Operator = Literal[">=", ">", "<=", "<"]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

SLACK = 1e-9
"""A mean of ten scores of 0.8 is 0.7999999999999999; it reaches 0.8."""
_NAME = re.compile(r'"([^"]+)"|([^\[\]()<>=≤≥,"]+)')
_SLICE = re.compile(r"""\[((?:"[^"]*"|'[^']*'|\[[^\]]*\]|[^\]"'\[])*)\]""")
_ENTRY = re.compile(r"""\s*+("[^"]+"|[^=<>!"'\s]++(?:\s++[^=<>!"'\s]++)*+)\s*+=(?!=)\s*("[^"]*"|.*)""")
_BY = re.compile(r"by\s+([^=<>!]+)")
_NUMBER = re.compile(r"([+-]?(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+)(\s*%)?")
_OPERATOR = re.compile(r">=|<=|≥|≤|>|<")
_SIGN = re.compile(r"[+-]")
_ASCII = {"≥": ">=", "≤": "<="}
EXAMPLES = "valor_faithfulness>=0.8, valor_faithfulness>=baseline-0.02 or no-regression within 0.02"


@dataclass(frozen=True)
class Threshold:
    """The number that a quantity has to reach.

    Attributes:
        operator: which side is good.
        number: the threshold; if `baseline` is set, an offset that is added to the baseline's value.
        baseline: whether the number is relative to the baseline.
        percent: whether the number was written as a percentage.
    """

    operator: Operator
    number: float
    baseline: bool = False
    percent: bool = field(default=False, repr=False, compare=False)

    @property
    def upwards(self) -> bool:
        """Whether larger numbers are better."""
        return self.operator in (">=", ">")

    @property
    def strict(self) -> "Threshold":
        """The same threshold without the number itself: `>` for `>=`, `<` for `<=`."""
        return replace(self, operator=">" if self.upwards else "<")

    @overload
    def reached(self, number: float) -> bool: ...
    @overload
    def reached(self, number: Floats) -> Mask: ...
    def reached(self, number: float | Floats) -> bool | Mask:
        """Return whether a number, or each number of an array, is on the good side.

        >>> Threshold(">=", 0.8).reached(0.8), Threshold(">", 0.8).reached(0.8)
        (True, False)
        """
        ahead = number - self.number if self.upwards else self.number - number
        return ahead >= -SLACK if "=" in self.operator else ahead > SLACK

    def reached_by_all(self, interval: Interval) -> bool:
        """Return whether the whole interval is on the good side."""
        return self.reached(interval.low) and self.reached(interval.high)

    def reached_by_none(self, interval: Interval) -> bool:
        """Return whether the whole interval is on the bad side."""
        return not self.reached(interval.low) and not self.reached(interval.high)

    @property
    def tolerance(self) -> float:
        """How much worse than the baseline is accepted; 0 if nothing is, or if a gain is required."""
        worse = -self.number if self.upwards else self.number
        return max(worse, 0.0) if self.baseline else 0.0

    def __str__(self) -> str:
        if not self.baseline:
            return f"{self.operator}{self.number:g}"
        return f"{self.operator}baseline{f'{self.number:+g}' if self.number else ''}"


@dataclass(frozen=True)
class SliceSelector:
    """The items that a requirement covers, in one of three ways.

    Attributes:
        by: a column; each of its entries makes a slice.
        entry: a column and the entry that the items have in it.
        condition: a condition on the columns, e.g. `rating >= 4`.
    """

    by: str | None = None
    entry: tuple[str, str] | None = None
    condition: str | None = None


class RequirementReader:
    """The text of one requirement, and the rest of it that has not been read.

    Every method that reads raises `InputError` if the rest begins with something else.

    Args:
        text: the requirement; runs of white space count as one space.

    Attributes:
        percent: whether the last number was a percentage.
    """

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())
        self.rest = self.text
        self.percent = False

    def name(self) -> str:
        """Read the name of a metric."""
        match = self._match(_NAME, "the name of a metric")
        return match[1] if match[1] is not None else match[2].strip()

    def slice(self) -> SliceSelector | None:
        """Read `[...]`; None if the rest does not begin with a bracket."""
        if not self.rest.startswith("["):
            return None
        match = _SLICE.match(self.rest)
        if not match:
            raise self._expected("a column and its entry within [ ]")
        inner = match[1].strip()
        by, entry = _BY.fullmatch(inner), _ENTRY.fullmatch(inner)
        if not by and not entry and (not inner or inner.isidentifier()):
            column = inner or "language"
            raise self._expected(f"[{column}=ENTRY] or [by {column}]")
        self._skip_to(match.end())
        if by:
            return SliceSelector(by=_unquoted(by[1]))
        if entry:
            return SliceSelector(entry=(_unquoted(entry[1]), _unquoted(entry[2])))
        return SliceSelector(condition=inner)

    def threshold(self) -> Threshold:
        """Read an operator and a number, `baseline`, or `baseline` with an offset."""
        operator = self.operator()
        if not self.skip("baseline"):
            return Threshold(operator, self.number("a number or baseline"), percent=self.percent)
        if not self.rest:
            return Threshold(operator, 0.0, baseline=True)
        if not _SIGN.match(self.rest):
            raise self._expected("+ or - and a number")
        sign = -1 if self.skip("-") else 1
        self.skip("+")
        return Threshold(operator, sign * self.number(), baseline=True, percent=self.percent)

    def operator(self) -> Operator:
        """Read one of `>=`, `>`, `<=` and `<`."""
        symbol = self._match(_OPERATOR, ">=, >, <= or <")[0]
        return cast("Operator", _ASCII.get(symbol, symbol))

    def number(self, expected: str = "a number") -> float:
        """Read a number, or a percentage as a share."""
        match = self._match(_NUMBER, expected)
        self.percent = match[2] is not None
        return float(match[1]) / (100 if match[2] else 1)

    def skip(self, word: str) -> bool:
        """Read a word if the rest begins with it; return whether it does."""
        if not self.rest.startswith(word):
            return False
        self._skip_to(len(word))
        return True

    def expect(self, word: str) -> None:
        """Read a word that has to come next."""
        if not self.skip(word):
            raise self._expected(word)

    def expect_end(self) -> None:
        """Raise if something is left."""
        if self.rest:
            raise self.error(f"remove {self.rest!r} at the end")

    def error(self, problem: str) -> InputError:
        """Return an error that names the requirement."""
        return InputError(f"requirement {self.text!r}: {problem}; write e.g. {EXAMPLES}")

    def _match(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        match = pattern.match(self.rest)
        if not match:
            raise self._expected(expected)
        self._skip_to(match.end())
        return match

    def _skip_to(self, position: int) -> None:
        self.rest = self.rest[position:].lstrip()

    def _expected(self, expected: str) -> InputError:
        return self.error(f"expected {expected} {f'at {self.rest!r}' if self.rest else 'at the end'}")


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
