"""Reader of all replies: lenient about their wrapping, strict about their content.

It separates the judge's own verdicts from quotations of the data under test, which never count.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from thresher.counted import counted
from thresher.judges.containers import Container, Scan, only_object, scan
from thresher.judges.gist import Gist
from thresher.judges.planted import Material, Planted
from thresher.judges.quotations import (
    has_words,
    is_bare,
    judgement,
    judgement_in,
    judgements,
    without,
    without_quotations,
)
from thresher.judges.schema import Misfit, ReplySchema
from thresher.judges.thoughts import LONGEST_REPLY, after_thoughts
from thresher.judges.wrapped_replies import read_wrapped

T = TypeVar("T")
CUT_OFF = ("length", "max_tokens", "max_output_tokens", "MAX_TOKENS")
LOOPED = "it was cut off, repeating itself"
QUOTED = "only verdicts found in the data"
CONFLICT = "its verdicts differ, and one of them was found in the data"
DISAGREE = "its objects disagree"
SPENT = "it is empty, as it reached the token limit"
_CUT = "it was cut off before its end"
_TAIL = 60
"""A truncated reply whose last 60 characters occur three times is a repetition loop."""
_MOST = 1_000_000
"""Maximum characters of a reply, including thoughts; longer replies are unreadable."""
_BEGUN = re.compile(r"\{\s*(?:[\"']|\w+\s*:|$)")
"""Start of an object that is still open at the end of a reply."""
_FENCE = re.compile(r"```\w*")


@dataclass(frozen=True)
class Reading(Generic[T]):
    """Content of a reply.

    Attributes:
        value: the judge's own verdict; None if the reply has none.
        problem: why the value is missing; empty if it is not.
        doubts: id -> why the reply gives no verdict on it: it repeats the data (`QUOTED`, `CONFLICT`), or
            contradicts itself (`DISAGREE`).
        remarks: notes on values that were read leniently, such as 1 for yes.
    """

    value: T | None = None
    problem: str = ""
    doubts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()


def read_reply(
    text: str | None, schema: ReplySchema[T], finish: str = "stop", data: str | Material = ""
) -> Reading[T]:
    """Read a reply.

    If several complete objects fit and agree, the last one counts; verdicts with different ids may be in
    separate objects. Thoughts between tags are skipped. If another object starts after the last complete one,
    the reply was truncated.

    An object is a quotation if the data contain the same judgement, and its reason is empty, copied from the
    data or similar to it; values are compared, not spelling. Quotations do not count. If the remaining
    objects disagree, none counts, wherever they are: an object may repeat the data in another form, and a
    draft looks the same. Without data, the last object counts.

    Args:
        text: the raw reply; None and blank text are problems.
        schema: the form of the reply.
        finish: the provider's finish reason.
        data: the data in the prompt.
    """
    if text is None or not text.strip():
        return Reading(problem=SPENT if finish in CUT_OFF else "it is empty")
    if finish == "content_filter":
        return Reading(problem="a content filter stopped it")
    if len(text) > _MOST:
        return Reading(problem=f"it has {counted(len(text), 'character', form=',')}, more than {_MOST:,}")
    content = after_thoughts(text)
    if content is None:
        return Reading(problem=_cut(text) if finish in CUT_OFF else "its thoughts have no end")
    material = Material((data,)) if isinstance(data, str) else data
    content = content[-LONGEST_REPLY:]
    reading = _Reader(content, schema, material).reading()
    if finish in CUT_OFF and (reading.value is None or not _ends_with_object(content)):
        return Reading(problem=_cut(content))
    return reading


@dataclass(frozen=True)
class _Own(Generic[T]):
    """An object of a reply: its own value, and the ids on which it quotes the data."""

    container: Container
    value: T | None
    quoted: frozenset[str]


class _Reader(Generic[T]):
    """Reads one reply."""

    def __init__(self, text: str, schema: ReplySchema[T], material: Material) -> None:
        self._text = text
        self._schema = schema
        self._material = material
        only = only_object(text)
        seen = scan(text) if only is None else Scan([only])
        self._objects = seen.objects
        self._misfits = seen.lists
        self._problem = ""

    def reading(self) -> Reading[T]:
        """The judge's own verdict, from fitting objects, else from wrapped values or plain text."""
        fitting = self._read_objects()
        begun = _BEGUN.search(self._text, self._objects[-1].end if self._objects else 0) is not None
        if begun and fitting:
            return Reading(problem=_CUT)
        if not begun and not any(own.value is not None for own in fitting):
            fitting += self._wrapped()
        values = [own.value for own in fitting if own.value is not None]
        if values:
            return self._combine(values, fitting)
        return self._from_text(fitting)

    @cached_property
    def _planted(self) -> Planted[T]:
        return Planted(self._material, self._schema)

    def _read_objects(self) -> list[_Own[T]]:
        fitting = []
        for container in self._objects:
            try:
                fitting.append(self._separate(container, self._schema.read(container.value)))
            except Misfit as error:
                self._problem = str(error)
                self._misfits.append(container)
        return fitting

    def _wrapped(self) -> list[_Own[T]]:
        """Quotations, and the own value that is wrapped or in a list if there is only one."""
        read = [
            self._separate(where, value)
            for value, where in read_wrapped(self._text, self._misfits, self._schema)
        ]
        several = sum(own.value is not None for own in read) > 1
        return [own for own in read if own.value is None or not several]

    def _separate(self, container: Container, value: T) -> _Own[T]:
        if not self._material.containers:  # nothing to quote
            return _Own(container, self._schema.without(value, frozenset()), frozenset())
        gists = self._schema.gists(value)
        if self._material.holds(container.value):
            quoted = frozenset(gists)
        else:
            quoted = frozenset(thing for thing, gist in gists.items() if self._planted.copied(thing, gist))
        left = None if quoted and len(quoted) == len(gists) else self._schema.without(value, quoted)
        return _Own(container, left, quoted)

    def _combine(self, values: list[T], fitting: list[_Own[T]]) -> Reading[T]:
        """Combine the judge's own values."""
        doubts = self._doubts(values, fitting)
        value = self._schema.together(values)
        if doubts.keys() >= set(self._schema.about(value)):
            return Reading(problem=CONFLICT if CONFLICT in doubts.values() else DISAGREE, doubts=doubts)
        value = self._schema.without(value, doubts.keys())
        return Reading(value, "", doubts, self._schema.remarks(value))

    def _doubts(self, values: list[T], fitting: list[_Own[T]]) -> dict[str, str]:
        """Ids whose verdicts do not count, as they are quotations or disagree, with the reason."""
        if len(values) == 1 and not any(own.quoted for own in fitting):
            return {}
        gists = [self._schema.gists(value) for value in values]
        own = {thing for gist in gists for thing in gist}
        doubts = {thing: QUOTED for entry in fitting for thing in entry.quoted if thing not in own}
        return doubts | {thing: doubt for thing in own if (doubt := self._disagreement(thing, gists))}

    def _disagreement(self, thing: str, gists: list[dict[str, Gist]]) -> str:
        """Why the judge's own values give no verdict on an id; empty if they do.

        The form of a planted verdict is not always recognised (a table, YAML, base64, prose), so the order of
        objects that disagree decides nothing as soon as there are data.
        """
        stated = [gist[thing] for gist in gists if thing in gist]
        judgements = {gist.judgement for gist in stated}
        if len(judgements) > 1 and any(self._planted.decides(thing, value) for value in judgements):
            return CONFLICT
        return DISAGREE if self._material.has_text and len({gist.decision for gist in stated}) > 1 else ""

    def _from_text(self, fitting: list[_Own[T]]) -> Reading[T]:
        """Read the plain text outside quotations."""
        quoted = {thing for own in fitting for thing in own.quoted}
        cut = [(own.container.start, own.container.end) for own in fitting]
        cut += [(part.start, part.end) for part in self._misfits if self._material.holds(part.value)]
        rest = _FENCE.sub(" ", without(self._text, cut)) if cut else self._text
        if cut and not has_words(rest):
            return self._quotations_only(quoted)
        try:
            whole: tuple[T, dict[str, Gist]] | None = judgement(rest, self._schema)
        except Misfit as error:
            whole, self._problem = None, self._problem or str(error)
        own = self._own_in(rest, whole)
        if own is not None:
            return Reading(own, "", {}, self._schema.remarks(own))
        if quoted or whole is not None:
            return self._quotations_only(quoted | set(whole[1] if whole else ()))
        return Reading(problem=self._problem)

    def _quotations_only(self, things: set[str]) -> Reading[T]:
        """Reading with quotations only, on these ids; on all if none is known."""
        return Reading(problem=QUOTED, doubts=dict.fromkeys(sorted(things) or self._schema.things, QUOTED))

    def _own_in(self, text: str, whole: tuple[T, dict[str, Gist]] | None) -> T | None:
        """The value of a text without its quotations, or of the whole text if the judgements are equal."""
        left = without_quotations(text, self._material, self._schema)
        own = whole
        if left != text:
            own = judgement_in(left, self._schema) if has_words(left) else None
        if own is None or self._is_planted(left, own[1]):
            return None
        return whole[0] if whole is not None and judgements(whole[1]) == judgements(own[1]) else own[0]

    def _is_planted(self, text: str, gists: dict[str, Gist]) -> bool:
        """Whether a text repeats a planted verdict without an own reason."""
        bare = is_bare(text)
        return any(
            self._planted.copied(thing, Gist(gist.judgement) if bare else gist)
            for thing, gist in gists.items()
        )


def _cut(text: str) -> str:
    """Problem of a truncated reply."""
    loops = len(text) > _TAIL and text.count(text[-_TAIL:]) > 2  # noqa: PLR2004
    return LOOPED if loops else _CUT


def _ends_with_object(text: str) -> bool:
    return text.rstrip().rstrip("`").rstrip().endswith("}")
