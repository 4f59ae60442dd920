"""Patterns of the package, and texts on which a slow one takes more steps than its text's length explains."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from re import _compiler, _constants, _parser  # what a pattern is made of has no public name
from typing import Any

import thresher

_LENGTHS = 40, 80
_ALLOWED = 2.9
"""Maximum growth of the steps in twice as long a text: linear work grows by 2, quadratic work by up to 4."""
_LEAST = 400
"""Steps below which growth does not matter."""
_MOST = 30_000
"""Steps in the longer text that only exponential work exceeds."""
_COUNTED = 5
"""Bounds of repeats are cut to this, so that bounded work is seen as such in short texts."""
_SAMPLES = 7
_CLASSES = {"DIGIT": "1", "NOT_DIGIT": "a", "SPACE": " \n", "NOT_SPACE": "a", "WORD": "a", "NOT_WORD": "-"}
_SEARCHES = ("search", "sub", "subn", "findall", "finditer", "split")
Match = Callable[[int], int]
"""From a position to the end of the match of the rest of the pattern; -1 if it does not match."""


class TooManyStepsError(Exception):
    """A match that takes more than `_MOST` steps."""


class Matcher:
    """A pattern as `re` matches it, by backtracking, that counts its steps.

    Args:
        pattern: the pattern.
        text: the text, which is fixed so that parts can be functions of a position.
    """

    def __init__(self, pattern: re.Pattern[Any], text: str) -> None:
        source = pattern.pattern
        source = source.decode("latin-1") if isinstance(source, bytes) else source
        self.text, self.steps, self.exact = text, 0, True
        self.groups: dict[int, tuple[int, int]] = {}
        self.flags = pattern.flags
        is_bytes = isinstance(pattern.pattern, bytes)
        parsed = _parser.parse(source, pattern.flags & ~re.UNICODE if is_bytes else pattern.flags)
        self.state = parsed.state
        self.match = self._sequence(list(parsed), lambda at: at)

    def spans(self, *, searched: bool) -> list[tuple[int, int]]:
        """All matches, or that at the beginning."""
        found, start = [], 0
        while start <= len(self.text):
            self.groups.clear()
            self._step()
            end = self.match(start)
            if end >= 0:
                found.append((start, end))
            if not searched:
                break
            start = end if end > start else start + 1
        return found

    def _step(self) -> None:
        self.steps += 1
        if self.steps > _MOST:
            raise TooManyStepsError

    def _sequence(self, nodes: list[Any], then: Match) -> Match:
        for node in reversed(nodes):
            then = self._node(node, then)
        return then

    def _node(self, node: Any, then: Match) -> Match:
        kind, value = node
        name = str(kind)
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return self._character(node, then)
        return getattr(self, f"_{name.lower()}")(value, then)

    def _character(self, node: Any, then: Match) -> Match:
        one = _compiler.compile(_parser.SubPattern(self.state, [node]), self.flags & ~re.DEBUG)
        fits = [one.match(letter) is not None for letter in self.text]

        def match(at: int) -> int:
            self._step()
            return then(at + 1) if at < len(fits) and fits[at] else -1

        return match

    def _branch(self, value: Any, then: Match) -> Match:
        choices = [self._sequence(list(choice), then) for choice in value[1]]
        return lambda at: next((end for choice in choices if (end := choice(at)) >= 0), -1)

    def _subpattern(self, value: Any, then: Match) -> Match:
        group, added, removed, inner = value

        def leave(at: int) -> int:
            before = self.groups.get(group)
            self.groups[group] = (self.groups.get(-group, (0, 0))[0], at)
            end = then(at)
            if end < 0 and before is not None:
                self.groups[group] = before
            return end

        def enter(at: int) -> int:
            self.groups[-group] = (at, at)
            return body(at)

        flags, self.flags = self.flags, (self.flags | added) & ~removed
        body = self._sequence(list(inner), then if group is None else leave)
        self.flags = flags
        return body if group is None else enter

    def _groupref(self, value: Any, then: Match) -> Match:
        def match(at: int) -> int:
            self._step()
            start, end = self.groups.get(value, (0, -1))
            part = self.text[start:end]
            return then(at + len(part)) if end >= start and self.text.startswith(part, at) else -1

        return match

    def _groupref_exists(self, value: Any, then: Match) -> Match:
        group, yes, no = value
        found, lacking = self._sequence(list(yes), then), self._sequence(list(no or []), then)
        return lambda at: found(at) if group in self.groups else lacking(at)

    def _at(self, value: Any, then: Match) -> Match:
        name, text = str(value), self.text
        lines = bool(self.flags & re.MULTILINE)

        def holds(at: int) -> bool:
            if name in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
                return at == 0 or (lines and name == "AT_BEGINNING" and text[at - 1] == "\n")
            if name == "AT_END_STRING":
                return at == len(text)
            if name == "AT_END":
                return at == len(text) or (text[at] == "\n" and (lines or at == len(text) - 1))
            words = [
                0 <= place < len(text) and (text[place].isalnum() or text[place] == "_")
                for place in (at - 1, at)
            ]
            return (words[0] != words[1]) == (name == "AT_BOUNDARY")

        def match(at: int) -> int:
            self._step()
            return then(at) if holds(at) else -1

        return match

    def _assert(self, value: Any, then: Match) -> Match:
        return self._looked(value, then, expected=True)

    def _assert_not(self, value: Any, then: Match) -> Match:
        return self._looked(value, then, expected=False)

    def _looked(self, value: Any, then: Match, *, expected: bool) -> Match:
        direction, inner = value
        body, width = self._sequence(list(inner), lambda at: at), inner.getwidth()[0]

        def match(at: int) -> int:
            start = at - width if direction < 0 else at
            return then(at) if (start >= 0 and body(start) >= 0) == expected else -1

        return match

    def _atomic_group(self, value: Any, then: Match) -> Match:
        body = self._sequence(list(value), lambda at: at)

        def match(at: int) -> int:
            end = body(at)
            return then(end) if end >= 0 else -1

        return match

    def _bounds(self, low: Any, high: Any) -> tuple[int, float]:
        most = float("inf") if high is _constants.MAXREPEAT else int(high)
        cut = min(low, _COUNTED), (most if most == float("inf") else min(most, _COUNTED))
        self.exact = self.exact and cut == (low, most)
        return cut

    def _max_repeat(self, value: Any, then: Match) -> Match:
        return self._repeat(value, then, greedy=True)

    def _min_repeat(self, value: Any, then: Match) -> Match:
        return self._repeat(value, then, greedy=False)

    def _repeat(self, value: Any, then: Match, *, greedy: bool) -> Match:
        low, high, inner = value
        low, high = self._bounds(low, high)
        counts: list[int] = []

        def again(at: int) -> int:
            self._step()
            count, begun = counts[-1], starts[-1]
            more = count < high and not (count >= low and at == begun)
            if count < low:
                return one(at)
            if greedy:
                end = one(at) if more else -1
                return end if end >= 0 else leave(at)
            end = leave(at)
            return end if end >= 0 or not more else one(at)

        starts: list[int] = []

        def one(at: int) -> int:
            counts.append(counts[-1] + 1)
            starts.append(at)
            end = body(at)
            counts.pop()
            starts.pop()
            return end

        def leave(at: int) -> int:
            count, begun = counts.pop(), starts.pop()
            end = then(at)
            counts.append(count)
            starts.append(begun)
            return end

        body = self._sequence(list(inner), again)

        def enter(at: int) -> int:
            counts.append(0)
            starts.append(-1)
            end = again(at)
            counts.pop()
            starts.pop()
            return end

        return enter

    def _possessive_repeat(self, value: Any, then: Match) -> Match:
        low, high, inner = value
        low, high = self._bounds(low, high)
        body = self._sequence(list(inner), lambda at: at)

        def match(at: int) -> int:
            count = 0
            while count < high:
                self._step()
                end = body(at)
                if end < 0 or (end == at and count >= low):
                    break
                at, count = end, count + 1
            return then(at) if count >= low else -1

        return match


@dataclass(frozen=True)
class UsedPattern:
    """A pattern, and whether it is searched for in a text or matched at one place of it."""

    pattern: re.Pattern[Any]
    searched: bool


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
    """A text whose repetition takes more steps than its length explains; empty if there is none."""
    for piece in _pieces(used.pattern):
        steps = [_steps(used, piece * (length // len(piece)) + "\x01") for length in _LENGTHS]
        if steps[1] > _MOST or steps[1] > max(_LEAST, _ALLOWED * steps[0]):
            return piece
    return ""


def _steps(used: UsedPattern, text: str) -> int:
    """Steps of a match or of a search for all matches; what `re` finds is found, too."""
    matcher = Matcher(used.pattern, text)
    try:
        spans = matcher.spans(searched=used.searched)
    except TooManyStepsError:
        return 2 * _MOST
    if matcher.exact:
        is_bytes = isinstance(used.pattern.pattern, bytes)
        subject: Any = text.encode("latin-1") if is_bytes else text
        if used.searched:
            peer = [match.span() for match in used.pattern.finditer(subject)]
            assert [span for span in peer if span[0] < span[1]] == [
                span for span in spans if span[0] < span[1]
            ]
        else:
            match = used.pattern.match(subject)
            assert ([] if match is None else [match.span()]) == spans
    return matcher.steps


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
