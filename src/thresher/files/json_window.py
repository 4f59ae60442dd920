"""A part of the text of a JSON file, in which values are parsed one after the other."""

import json
import re
from typing import Any, NoReturn

from thresher.errors import InputError
from thresher.files.nesting import check_nesting, too_deep
from thresher.files.opening import Source
from thresher.files.parsing import check_digits, json_problem
from thresher.files.texts import text_blocks
from thresher.files.typed_json import UnexpectedFormError, json_texts, parser

IN_LIST = '[""'
"""A replacement for the text before a part of a list, so that messages are those of Python's parser."""
_AHEAD = 2
"""Blocks of objects that are in memory when one of them is cut off."""
_BETWEEN = re.compile(r"\}[ \t\n\r]*,[ \t\n\r]*(?=\{)")
_CUT = 16
"""Characters before the end of a window in which a number, a literal or an escape may be cut off."""
_DECODER = json.JSONDecoder()
_SYMBOL = re.compile(r"[ \t\n\r]*(.?)", re.DOTALL)
_FOLLOWING = re.compile(r"[ \t\n\r]*+([,\]]?)[ \t\n\r]*+")


class JsonWindow:
    """A part of the text of a file.

    Args:
        path: the file.
        exact: whether all values are parsed.

    Attributes:
        text: the part.
        at: the next character.
        mark: end of the last complete value; what comes before is dropped.
        problems: the first values that are nested too deeply, and have numbers that are too long. They are
            raised when the whole file is known to be JSON, in this order, as `parse_json` does.
    """

    def __init__(self, path: Source, *, exact: bool) -> None:
        self.path, self._exact = path, exact
        self.text, self.at, self.mark = "", 0, 0
        self.problems: list[InputError | None] = [None, None]
        self._blocks = text_blocks(path)
        self._is_last = False
        self._line, self._column = 1, 0  # of the start of the part

    def symbol(self) -> str:
        """Read the next character that is not white space; empty at the end of the file."""
        while True:
            match = _SYMBOL.match(self.text, self.at)
            if match is not None and (match[1] or not self._more()):
                self.at = match.end()
                return match[1]

    def step_back(self, symbol: str) -> None:
        """Go back to a symbol that was just read."""
        self.at -= len(symbol)

    def check(self, text: str, value: Any) -> None:
        """Note the problems of a value with this text."""
        for place, check in enumerate((_check_nesting, check_digits)):
            try:
                check(text, self.path, value)
            except InputError as error:
                self.problems[place] = self.problems[place] or error

    def value(self, before: str) -> tuple[str, Any]:
        """Read the next value; return its text too.

        Args:
            before: replaces the text before `mark` in messages.
        """
        while True:
            value, end = self._scanned(before)
            if end < len(self.text) - _CUT or not self._more():
                break
        text, self.at = self.text[self.at : end], end
        return text, value

    def entry(self, before: str) -> tuple[str, str]:
        """Read the next entry of a list: its text, and the comma or bracket after it."""
        while True:
            _, end = self._scanned(before)
            match = _FOLLOWING.match(self.text, end)
            if match is not None and (match.end() < len(self.text) - _CUT or not self._more()):
                break
        text, self.at, self.mark = self.text[self.at : end], match.end(), end
        if not match[1]:
            self.refuse(IN_LIST)
        return text, match[1]

    def objects(self, size: int) -> list[bytes]:
        """Read some of a list of objects, and the comma after them; nothing if that is not sure.

        A cut inside of an object or a text leaves something before it that is not JSON. So if it can be
        parsed, it is a part of the list.

        Args:
            size: least number of their characters.
        """
        if self._exact or not parser():
            return []
        while len(self.text) - self.at < _AHEAD * size and self._more():
            pass
        cut = _BETWEEN.search(self.text, self.at + size)
        if cut is None:
            return []
        try:
            texts = json_texts(b"[%b]" % self.text[self.at : cut.start() + 1].encode())
        except UnexpectedFormError:
            return []
        self.at, self.mark = cut.end(), cut.start() + 1
        return texts

    def refuse(self, before: str) -> NoReturn:
        """Raise the error of Python's parser for the text from `mark` on."""
        try:
            json.loads(before + self.text[self.mark :])
        except RecursionError:
            raise too_deep(self.path) from None
        except json.JSONDecodeError as error:
            place = self.mark + error.pos - len(before)
            for _ in self._blocks:  # bytes that are not UTF-8 are refused first, as by `parse_json`
                pass
            line = self._line + self.text.count("\n", 0, place)
            newline = self.text.rfind("\n", 0, place)
            column = place - newline if newline >= 0 else self._column + place + 1
            problem = json.JSONDecodeError(error.msg, "", 0)
            problem.colno = column
            raise InputError(f"{self.path}:{line}: {json_problem(problem)}") from None
        except ValueError as error:
            raise InputError(f"{self.path}: {json_problem(error)}") from None
        raise AssertionError(f"{self.path}: a second parser accepts what the first refuses")

    def _scanned(self, before: str) -> tuple[Any, int]:
        """The value at `at`, and its end, in a window that holds it."""
        while True:
            try:
                return _DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                place, is_cut = error.pos, error.msg.startswith("Unterminated string")
            except (RecursionError, ValueError):
                self.refuse(before)
            if not (is_cut or place >= len(self.text) - _CUT) or not self._more():
                self.refuse(before)

    def _more(self) -> bool:
        """Read more, at least as much as there is, so that a long value takes linear time."""
        if self._is_last:
            return False
        passed = self.text[: self.mark]
        self._line += passed.count("\n")
        newline = passed.rfind("\n")
        self._column = len(passed) - newline - 1 if newline >= 0 else self._column + len(passed)
        parts = [self.text[self.mark :]]
        self.at, self.mark = self.at - self.mark, 0
        size = 0
        while size <= len(parts[0]):
            block = next(self._blocks, None)
            if block is None:
                self._is_last = True
                break
            parts.append(block)
            size += len(block)
        self.text = "".join(parts)
        return True


def _check_nesting(_text: str, path: Source, value: Any) -> None:
    check_nesting(path, [value])
