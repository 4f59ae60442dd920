r"""Reading requirements.

    requirement = quantity operator bar
                | "no-regression" [ "(" name { "," name } ")" ] [ part ] [ "within" number ]
    quantity    = name [ part ]
                | ( "min" | "max" | "coverage" ) "(" name [ part ] ")"
                | "items" "(" name [ part ] operator number ")"
    part        = "[" column "=" entry "]" | "[" "by" column "]" | "[" condition "]"
    bar         = number | "baseline" [ ( "+" | "-" ) number ]
    operator    = ">=" | ">" | "<=" | "<"
    number      = digits, with a "%" after them if wanted

Names that hold one of `[ ] ( ) < > = , "`, and entries that hold a `]`, stand in double quotes.
Conditions are those of `thresher report --slice`, e.g. `language == "de" and rating >= 4`.
"""

import re
from typing import cast

from thresher.errors import InputError
from thresher.reports.gates.requirement import Bar, Operator, Part, Quantity, Requirement

_NAME = re.compile(r'"([^"]+)"|([^\[\]()<>=≤≥,"]+)')
_PART = re.compile(r"""\[((?:"[^"]*"|'[^']*'|\[[^\]]*\]|[^\]"'\[])*)\]""")
_ENTRY = re.compile(r"""\s*("[^"]+"|[^=<>!"']+?)\s*=(?!=)\s*("[^"]*"|.*)""")
_BY = re.compile(r"by\s+([^=<>!]+)")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(\s*%)?")
_OPERATOR = re.compile(r">=|<=|≥|≤|>|<")
_SIGN = re.compile(r"[+-]")
_PLAIN = {"≥": ">=", "≤": "<="}
_OF_ITEMS = (Quantity.MIN, Quantity.MAX, Quantity.COVERAGE)
EXAMPLES = "faithfulness>=0.8, faithfulness>=baseline-0.02 or no-regression within 0.02"


def parse(text: str) -> Requirement:
    """One requirement from its text.

    Raises:
        InputError: if it cannot be read; says what was expected where.

    >>> parse("faithfulness[language=de] >= 70%").bar
    Bar(operator='>=', number=0.7, baseline=False)
    >>> parse("no-regression within 0.02").bar
    Bar(operator='>=', number=-0.02, baseline=True)
    """
    if not isinstance(text, str):
        raise InputError(f"requirement {text!r} is no text; write e.g. {EXAMPLES}")
    return _Reader(text).requirement()


class _Reader:
    """Reads one requirement from left to right."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())
        self.rest = self.text

    def requirement(self) -> Requirement:
        if re.match(r"no-regression\b", self.rest):
            self.rest = self.rest.removeprefix("no-regression").lstrip()
            found = self._no_regression()
        else:
            found = self._compared()
        if self.rest:
            raise self._unclear("nothing")
        return found

    def _no_regression(self) -> Requirement:
        names = []
        if self._skip("("):
            names.append(self._name())
            while self._skip(","):
                names.append(self._name())
            self._expect(")")
        part = self._part()
        bar = None
        if self._skip("within"):
            margin = self._number()
            if margin < 0:
                raise self._wrong("the margin is negative; give how much worse the run may be")
            bar = Bar(">=", -margin, baseline=True)
        return Requirement(self.text, Quantity.NO_REGRESSION, tuple(names), bar, part)

    def _compared(self) -> Requirement:
        quantity = self._quantity()
        name, part, item_bar = self._name(), self._part(), None
        if quantity is Quantity.ITEMS:
            item_bar = Bar(self._operator(), self._number())
        if quantity is not Quantity.VALUE:
            self._expect(")")
        operator = self._operator()
        bar = Bar(operator, *self._bar())
        return Requirement(self.text, quantity, (name,), bar, part, item_bar)

    def _quantity(self) -> Quantity:
        for quantity in (Quantity.ITEMS, *_OF_ITEMS):
            if re.match(rf"{quantity}\s*\(", self.rest):
                self.rest = self.rest.removeprefix(quantity).lstrip()
                self._expect("(")
                return quantity
        return Quantity.VALUE

    def _part(self) -> Part | None:
        if not self.rest.startswith("["):
            return None
        found = _PART.match(self.rest)
        if not found:
            raise self._unclear("a column and its entry within [ ]")
        inner = found[1].strip()
        by, entry = _BY.fullmatch(inner), _ENTRY.fullmatch(inner)
        if not by and not entry and (not inner or inner.isidentifier()):
            raise self._unclear(f"[{inner or 'language'}=ENTRY] or [by {inner or 'language'}]")
        self.rest = self.rest[found.end() :].lstrip()
        if by:
            return Part(by=_plain(by[1]))
        return Part(entry=(_plain(entry[1]), _plain(entry[2]))) if entry else Part(condition=inner)

    def _bar(self) -> tuple[float, bool]:
        if not self._skip("baseline"):
            return self._number("a number or baseline"), False
        if not self.rest:
            return 0.0, True
        if not _SIGN.match(self.rest):
            raise self._unclear("+ or - and a number")
        sign = -1 if self._skip("-") else 1
        self._skip("+")
        return sign * self._number(), True

    def _number(self, expected: str = "a number") -> float:
        found = _NUMBER.match(self.rest)
        if not found:
            raise self._unclear(expected)
        self.rest = self.rest[found.end() :].lstrip()
        return float(found[1]) / (100 if found[2] else 1)

    def _operator(self) -> Operator:
        found = _OPERATOR.match(self.rest)
        if not found:
            raise self._unclear(">=, >, <= or <")
        self.rest = self.rest[found.end() :].lstrip()
        return cast("Operator", _PLAIN.get(found[0], found[0]))

    def _name(self) -> str:
        return self._taken(_NAME, "the name of a metric")

    def _taken(self, pattern: re.Pattern[str], expected: str) -> str:
        found = pattern.match(self.rest)
        if not found:
            raise self._unclear(expected)
        self.rest = self.rest[found.end() :].lstrip()
        return found[1] if found[1] is not None else found[2].strip()

    def _skip(self, word: str) -> bool:
        if not self.rest.startswith(word):
            return False
        self.rest = self.rest.removeprefix(word).lstrip()
        return True

    def _expect(self, word: str) -> None:
        if not self._skip(word):
            raise self._unclear(word)

    def _unclear(self, expected: str) -> InputError:
        where = f"where {self.rest!r} stands" if self.rest else "at the end"
        return self._wrong(f"{expected} was expected {where}")

    def _wrong(self, what: str) -> InputError:
        return InputError(f"requirement {self.text!r}: {what}; write e.g. {EXAMPLES}")


def _plain(text: str) -> str:
    """Text without the quotes around it."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
