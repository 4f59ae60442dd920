"""One reader for every reply: it forgives the wrapping and never the content.

It says which verdicts are the judge's own. What a judge repeats from the data under test is a quotation,
whatever it looks like, and quotations never count.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from thresher.judges.containers import Container, scan
from thresher.judges.gist import Gist
from thresher.judges.loose import loosely_read
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
from thresher.judges.thoughts import after_thoughts

T = TypeVar("T")
CUT_OFF = ("length", "max_tokens", "max_output_tokens", "MAX_TOKENS")
LOOPED = "it was cut off, repeating itself"
QUOTED = "only verdicts found in the data"
CONFLICT = "its verdicts differ, and one of them was found in the data"
_CUT = "it was cut off before its end"
_TAIL = 60
"""A reply that was cut off is a loop if its last characters, so many, occur three times."""
_LONGEST = 60_000
"""Characters of a reply that are read, from its end: no form that is asked for needs as many."""
_BEGUN = re.compile(r"\{\s*(?:[\"']|\w+\s*:|$)")
"""How an object begins that is still open where a reply ends."""
_FENCE = re.compile(r"```\w*")


@dataclass(frozen=True)
class Reading(Generic[T]):
    """What a reply says.

    Attributes:
        value: the judge's own verdict; None where it gives none.
        problem: why there is no value; empty where there is one.
        doubts: thing -> `QUOTED` or `CONFLICT`, for the things on which the data were repeated.
        remarks: what was read all the same, such as 1 for yes.
    """

    value: T | None = None
    problem: str = ""
    doubts: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()


def read_reply(
    text: str | None, schema: ReplySchema[T], finish: str = "stop", data: str | Material = ""
) -> Reading[T]:
    """Read a reply.

    The last complete object that fits counts, so drafts before the answer do not (verdicts on different
    things may be in an object each). Thoughts between tags are not read. What follows the last object must
    not be the start of another one: then the reply was cut.

    An object is a quotation if the data hold the same judgement, and its reason is empty, one of the data's
    or nearly so; values are compared, not how they are written. Quotations do not count. Nor does either of
    two own judgements that differ, if one of them is in the data: it may be a quotation in other words.

    Args:
        text: the reply as it came; None and blank text are problems.
        schema: the form that was asked for.
        finish: why the judge stopped, as the provider reports it.
        data: what the judge was shown.
    """
    if text is None or not text.strip():
        return Reading(problem="it is empty")
    if finish == "content_filter":
        return Reading(problem="a content filter stopped it")
    said = after_thoughts(text)
    if said is None:
        return Reading(problem=_cut(text) if finish in CUT_OFF else "its thoughts have no end")
    material = Material((data,)) if isinstance(data, str) else data
    said = said[-_LONGEST:]
    reading = _Reader(said, schema, material).reading()
    if finish in CUT_OFF and (reading.value is None or not _ends_with_object(said)):
        return Reading(problem=_cut(said))
    return reading


@dataclass(frozen=True)
class _Own(Generic[T]):
    """An object of a reply, with what in it is not quoted."""

    container: Container
    value: T | None
    quoted: frozenset[str]


class _Reader(Generic[T]):
    """Reads one reply."""

    def __init__(self, text: str, schema: ReplySchema[T], material: Material) -> None:
        self._text = text
        self._schema = schema
        self._material = material
        seen = scan(text)
        self._objects = seen.objects
        self._misfits = seen.lists
        self._problem = ""

    def reading(self) -> Reading[T]:
        """The judge's own verdict, from objects that fit, else from what holds it less well."""
        fitting = self._fitting()
        begun = _BEGUN.search(self._text, self._objects[-1].end if self._objects else 0) is not None
        if begun and fitting:
            return Reading(problem=_CUT)
        if not begun and not any(own.value is not None for own in fitting):
            fitting += self._loosely()
        values = [own.value for own in fitting if own.value is not None]
        if values:
            return self._decided(values, fitting)
        return self._from_text(fitting)

    @cached_property
    def _planted(self) -> Planted[T]:
        return Planted(self._material, self._schema)

    def _fitting(self) -> list[_Own[T]]:
        fitting = []
        for container in self._objects:
            try:
                fitting.append(self._own(container, self._schema.read(container.value)))
            except Misfit as error:
                self._problem = str(error)
                self._misfits.append(container)
        return fitting

    def _loosely(self) -> list[_Own[T]]:
        """The one value one level too deep or in a list, beside quotations."""
        read = [
            self._own(where, value) for value, where in loosely_read(self._text, self._misfits, self._schema)
        ]
        several = sum(own.value is not None for own in read) > 1
        return [own for own in read if own.value is None or not several]

    def _own(self, container: Container, value: T) -> _Own[T]:
        gists = self._schema.gists(value)
        if self._material.holds(container.value):
            quoted = frozenset(gists)
        else:
            quoted = frozenset(thing for thing, gist in gists.items() if self._planted.copied(thing, gist))
        left = None if quoted and len(quoted) == len(gists) else self._schema.without(value, quoted)
        return _Own(container, left, quoted)

    def _decided(self, values: list[T], fitting: list[_Own[T]]) -> Reading[T]:
        """One value out of those that the judge gave."""
        gists = [self._schema.gists(value) for value in values]
        own = {thing for gist in gists for thing in gist}
        doubts = {thing: QUOTED for each in fitting for thing in each.quoted if thing not in own}
        doubts |= {thing: CONFLICT for thing in own if self._conflict(thing, gists)}
        value = self._schema.together(values)
        about = self._schema.gists(value).keys()
        if about <= doubts.keys():
            return Reading(problem=CONFLICT, doubts=doubts)
        value = self._schema.without(value, doubts.keys())
        return Reading(value, "", doubts, self._schema.remarks(value))

    def _conflict(self, thing: str, gists: list[dict[str, Gist]]) -> bool:
        judgements = {gist[thing].judgement for gist in gists if thing in gist}
        return len(judgements) > 1 and any(self._planted.decides(thing, each) for each in judgements)

    def _from_text(self, fitting: list[_Own[T]]) -> Reading[T]:
        """A verdict in plain text, beside quotations."""
        quoted = {thing for own in fitting for thing in own.quoted}
        cut = [(own.container.start, own.container.end) for own in fitting]
        cut += [(each.start, each.end) for each in self._misfits if self._material.holds(each.value)]
        rest = _FENCE.sub(" ", without(self._text, cut)) if cut else self._text
        if cut and not has_words(rest):
            return self._quoting(quoted)
        try:
            whole: tuple[T, dict[str, Gist]] | None = judgement(rest, self._schema)
        except Misfit as error:
            whole, self._problem = None, self._problem or str(error)
        own = self._own_in(rest, whole)
        if own is not None:
            return Reading(own, "", {}, self._schema.remarks(own))
        if quoted or whole is not None:
            return self._quoting(quoted | set(whole[1] if whole else ()))
        return Reading(problem=self._problem)

    def _quoting(self, things: set[str]) -> Reading[T]:
        """Nothing but quotations, about these things; about all where none can be named."""
        return Reading(problem=QUOTED, doubts=dict.fromkeys(sorted(things) or self._schema.things, QUOTED))

    def _own_in(self, text: str, whole: tuple[T, dict[str, Gist]] | None) -> T | None:
        """The value in a text that is not quoted from the data; that of the whole text if it is the same."""
        left = without_quotations(text, self._material, self._schema)
        own = whole
        if left != text:
            own = judgement_in(left, self._schema) if has_words(left) else None
        if own is None or self._is_planted(left, own[1]):
            return None
        return whole[0] if whole is not None and judgements(whole[1]) == judgements(own[1]) else own[0]

    def _is_planted(self, text: str, gists: dict[str, Gist]) -> bool:
        """Whether a text gives a planted verdict without a reason of its own."""
        bare = is_bare(text)
        return any(
            self._planted.copied(thing, Gist(gist.judgement) if bare else gist)
            for thing, gist in gists.items()
        )


def _cut(text: str) -> str:
    """The problem of a reply that was cut off."""
    loops = len(text) > _TAIL and text.count(text[-_TAIL:]) > 2  # noqa: PLR2004  (its end, and two before)
    return LOOPED if loops else _CUT


def _ends_with_object(text: str) -> bool:
    return text.rstrip().rstrip("`").rstrip().endswith("}")
