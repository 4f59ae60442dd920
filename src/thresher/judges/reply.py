"""One reader for every reply: it forgives the wrapping and never the content."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from thresher.judges.loose import loosely_read, squeezed
from thresher.judges.schema import Ambiguous, Json, Misfit, ReplySchema

T = TypeVar("T")
CUT_OFF = ("length", "max_tokens", "max_output_tokens", "MAX_TOKENS")
LOOPED = "it was cut off, repeating itself"
_TAIL = 60
"""Characters at the end of a cut-off reply that stand in it twice more where a judge goes in circles."""
_LONGEST = 60_000
"""Characters of a reply that are looked at, from its end: a judge that rambles must not stall the loop."""
_BROKEN = 200
"""Braces that open no readable object before the reply is given up."""
_BEGUN = re.compile(r"\{\s*(?:[\"']|\w+\s*:|$)")
"""How an object begins that is still open where a reply ends."""
_REPAIRS = 10
"""Broken objects that are worth repairing in one reply."""


@dataclass(frozen=True)
class Reading(Generic[T]):
    """A value, or the problem that stands in its way."""

    value: T | None = None
    problem: str = ""


def read_reply(text: str | None, schema: ReplySchema[T], finish: str = "stop", data: str = "") -> Reading[T]:
    """The value in a reply.

    The last complete object that fits wins, so drafts before the answer do not count (verdicts on different
    things may stand in an object each). An object that stands word for word in the data under test counts
    only if there is no other, so that a verdict forged there and quoted by the judge does not win. What
    follows the chosen object must not be the start of another one: then the reply was cut.

    Args:
        text: the reply as it came; None and blank text are problems.
        schema: the form that was asked for.
        finish: why the judge stopped, as the provider tells.
        data: the messages that were sent.
    """
    if text is None or not text.strip():
        return Reading(problem="it is empty")
    if finish == "content_filter":
        return Reading(problem="a content filter stopped it")
    text = text[-_LONGEST:]
    reading = _last_fitting(text, schema, data)
    if finish in CUT_OFF and (reading.value is None or not _ends_with_object(text)):
        loops = len(text) > _TAIL and text.count(text[-_TAIL:]) > 2  # noqa: PLR2004  (its end, and two before)
        return Reading(problem=LOOPED if loops else "it was cut off before its end")
    return reading


def _last_fitting(text: str, schema: ReplySchema[T], data: str) -> Reading[T]:
    fitting: list[tuple[T, str]] = []
    misfits: list[tuple[Json, str]] = []
    problem, end = "", 0
    for candidate, start, end in _objects(text):
        try:
            fitting.append((schema.read(candidate), text[start:end]))
        except Misfit as error:
            problem = str(error)
            misfits.append((candidate, text[start:end]))
    begun = _BEGUN.search(text, end) is not None
    if fitting and begun:
        return Reading(problem="it was cut off before its end")
    if fitting:
        return Reading(_own(fitting, schema, data))
    loose = None if begun else loosely_read(text, misfits, schema, data)
    if loose is not None:
        return Reading(loose)
    try:
        return Reading(schema.read_text(text))
    except Misfit as error:
        return Reading(problem=problem or str(error))


def _own(fitting: list[tuple[T, str]], schema: ReplySchema[T], data: str) -> T:
    """What the values say that are no quotations from the data; the last of all if every one is."""
    if len(fitting) > 1:
        known = squeezed(data)
        own = [value for value, written in fitting if squeezed(written) not in known]
        return schema.together(own) if own else fitting[-1][0]
    return fitting[0][0]


def _objects(text: str) -> Iterator[tuple[Json, int, int]]:
    """The outermost JSON objects in a text, repaired where that is safe, with their places."""
    decoder = json.JSONDecoder(object_pairs_hook=_pairs, strict=False)  # line breaks within texts
    broken = 0
    start = text.find("{")
    while start >= 0 and broken < _BROKEN:
        stop = start + 1
        try:
            found, stop = decoder.raw_decode(text, start)
            yield found, start, stop
        except (ValueError, RecursionError):
            end = _closing(text, start) if broken < _REPAIRS else None
            broken += 1
            repaired = None if end is None else _repaired(text[start:end], decoder)
            if end is not None and repaired is not None:
                yield repaired, start, end
                stop = end
        start = text.find("{", stop)


def _pairs(pairs: list[tuple[str, Any]]) -> Json:
    data = dict(pairs)
    if len(data) == len(pairs):
        return data
    keys = [key for key, _ in pairs]
    ambiguous = Ambiguous(data)
    ambiguous.twice = frozenset(key for key in keys if keys.count(key) > 1)
    return ambiguous


def _closing(text: str, start: int) -> int | None:
    """Where the brace at `start` closes, braces within double quotes aside; None if it does not."""
    depth = 0
    quoted = False
    for match in re.finditer(r'\\.|["{}]', text[start:], re.DOTALL):
        mark = match.group()
        if mark == '"':
            quoted = not quoted
        elif not quoted and mark in "{}":
            depth += 1 if mark == "{" else -1
            if depth == 0:
                return start + match.end()
    return None


def _repaired(broken: str, decoder: json.JSONDecoder) -> Json | None:
    """An object with trailing commas, or written as Python would."""
    try:
        found = decoder.decode(_without_trailing_commas(broken))
    except (ValueError, RecursionError):
        found = _python_literal(broken)
    return found if isinstance(found, dict) else None


def _without_trailing_commas(text: str) -> str:
    """Commas before a closing bracket, outside of strings, taken out."""
    return re.sub(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', lambda match: match.group(1) or "", text)


def _python_literal(text: str) -> Any:
    """A Python dict with text keys; one in which keys stand twice is refused, as it cannot be told."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
        dicts = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
        keys = [[ast.literal_eval(key) for key in node.keys if key] for node in dicts]
        if any(len(set(names)) < len(names) or not all(isinstance(n, str) for n in names) for names in keys):
            return None
        return ast.literal_eval(tree)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _ends_with_object(text: str) -> bool:
    return text.rstrip().rstrip("`").rstrip().endswith("}")
