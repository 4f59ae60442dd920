"""Patterns of the package, and texts on which a slow one takes more time than its text's length explains."""

import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from re import _constants, _parser  # what a pattern is made of has no public name
from typing import Any

import thresher

_LENGTHS = (12, 16, 20, 24, 32, 128, 512, 2_048)
"""Lengths of texts; the first that takes `_LEAST` is compared with the one before it."""
_ALLOWED = 1.5
"""Maximum growth of the time relative to the text; quadratic work grows four times faster."""
_LEAST = 2e-3
"""Seconds below which the growth of a search does not matter."""
_SAMPLES = 10
_CLASSES = {"DIGIT": "1", "NOT_DIGIT": "a", "SPACE": " \n", "NOT_SPACE": "a", "WORD": "a", "NOT_WORD": "-"}
_SEARCHES = ("search", "sub", "subn", "findall", "finditer", "split")


@dataclass(frozen=True)
class UsedPattern:
    """A pattern, and whether it is searched for in a text or matched at one place of it."""

    pattern: re.Pattern[Any]
    searched: bool

    def run(self, text: str) -> None:
        """Use the pattern on a text."""
        subject = text.encode() if isinstance(self.pattern.pattern, bytes) else text
        if self.searched:
            for _ in self.pattern.finditer(subject):
                pass
        else:
            self.pattern.match(subject)
            self.pattern.fullmatch(subject)


def compiled_patterns() -> dict[str, UsedPattern]:
    """Module and name -> compiled pattern, of all modules of the package."""
    patterns = {}
    for info in pkgutil.walk_packages(thresher.__path__, "thresher."):
        if info.name.endswith(("__main__", "._kernels")):  # the latter is a library of C functions
            continue
        module = importlib.import_module(info.name)
        constants = {name: value for name, value in vars(module).items() if isinstance(value, re.Pattern)}
        source = inspect.getsource(module) if constants else ""
        for name, value in constants.items():
            searched = re.search(rf"\b{name}\.({'|'.join(_SEARCHES)})\b", source) is not None
            patterns[f"{info.name}.{name}"] = UsedPattern(value, searched)
    return patterns


@contextmanager
def recorded_patterns(monkeypatch: Any) -> Iterator[set[UsedPattern]]:
    """Collect the patterns that functions write inline, as in `re.findall(r"...", text)`."""
    used: set[UsedPattern] = set()

    def recording(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(pattern: Any, *rest: Any, **options: Any) -> Any:
            used.add(UsedPattern(re.compile(pattern), name in _SEARCHES))
            return function(pattern, *rest, **options)

        return call

    with monkeypatch.context() as patch:
        for name in (*_SEARCHES, "match", "fullmatch"):
            patch.setattr(re, name, recording(name, getattr(re, name)))
        yield used


def slow_piece(used: UsedPattern) -> str:
    """A text whose repetition takes more time than its length explains; empty if there is none."""
    for prefix, piece in product(("", "a"), _pieces(used.pattern)):
        # A busy machine may slow down one measurement, not three.
        if all(_grows_too_fast(used, prefix, piece) for _ in range(3)):
            return prefix + piece
    return ""


def _grows_too_fast(used: UsedPattern, prefix: str, piece: str) -> bool:
    before, length_before = 1e-5, _LENGTHS[0]
    for length in _LENGTHS:
        taken = _seconds(used, prefix, piece, length)
        if taken > _LEAST:
            return taken > _ALLOWED * length / length_before * max(before, 1e-5)
        before, length_before = taken, length
    return False


def _seconds(used: UsedPattern, prefix: str, piece: str, length: int) -> float:
    text = prefix + piece * (length // len(piece)) + "\x01"
    start = time.thread_time()
    used.run(text)
    return time.thread_time() - start


def _pieces(pattern: re.Pattern[Any]) -> list[str]:
    """Texts to repeat: every character that the pattern distinguishes, and pairs of them."""
    source = pattern.pattern
    parsed = _parser.parse(
        source.decode("latin-1") if isinstance(source, bytes) else source, pattern.flags & ~re.UNICODE
    )
    characters = list(dict.fromkeys(_characters(parsed)))[:_SAMPLES]
    return [*characters, *("".join(pair) for pair in product(characters, characters) if pair[0] != pair[1])]


def _characters(node: Any) -> Iterator[str]:
    """Characters that the parts of a parsed pattern match."""
    if isinstance(node, _parser.SubPattern | list):
        for part in node:
            yield from _characters(part)
    elif isinstance(node, tuple):
        if node and node[0] in (_constants.LITERAL, _constants.NOT_LITERAL) and len(node) == 2:
            yield chr(node[1]) if node[0] is _constants.LITERAL else "a"
        elif node and node[0] is _constants.RANGE:
            yield chr(node[1][0])
        elif node and node[0] is _constants.CATEGORY:
            yield from _CLASSES.get(str(node[1]).removeprefix("CATEGORY_"), "a")
        elif node and node[0] is _constants.ANY:
            yield "a"
        else:
            for part in node:
                yield from _characters(part)
