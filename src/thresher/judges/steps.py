"""Steps of flows: extract parts of a text, judge several of them, rate one.

Every step asks again, a limited number of times, if a reply cannot be read or omits an id. The denominator
never shrinks: an id without a verdict makes the item unreadable.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from thresher.counted import counted
from thresher.judges.blindness import BLIND
from thresher.judges.flow import Ask, Flow, Reply, Unanswered
from thresher.judges.prompt import Prompt
from thresher.judges.rating import JudgeRating, Rating
from thresher.judges.reply import DISAGREE, LOOPED, QUOTED
from thresher.judges.schema import JudgeVerdict, Texts, Verdicts
from thresher.results import Status

T = TypeVar("T")
MAX_ASKS = 5
"""Maximum asks about one subject while its replies cannot be read."""
_MAX_LOOPS = 2
"""Maximum repetition loops, and empty replies at the token limit: each has the highest possible cost, and
another attempt usually ends in the same way."""
_ADVICE = {
    LOOPED: " List nothing twice.",
    QUOTED: " Judge for yourself, with a reason in your own words.",
    DISAGREE: " Write one object only, your final one.",
}
_MAX_QUOTED = 2
"""Maximum replies that repeat the data or contradict themselves: a judge that does so once usually does so
again."""


def extract(prompt: Prompt, key: str, text: str) -> Flow[tuple[str, ...]]:
    """Extract a list from a text: statements, claims, opinions.

    Args:
        prompt: a prompt with the single variable `text`.
        key: the reply's key.
        text: the text.

    Raises:
        Unanswered: if no reply could be read.
    """
    if not text.strip():
        return ()  # no call for an empty text
    return (yield from answered(prompt.ask(Texts(key), subject=text, text=text)))


def rate(ask: Ask[JudgeRating]) -> Flow[JudgeRating]:
    """Rate one subject on the scale of the ask's `Rating`.

    Raises:
        Unanswered: if no reply could be read.
    """
    if not isinstance(ask.schema, Rating):
        raise TypeError(f"the form of {ask.prompt} is not a Rating")
    return answered(ask)


def answered(ask: Ask[T]) -> Flow[T]:
    """Ask until the reply can be read.

    Raises:
        Unanswered: after `MAX_ASKS` unreadable replies, after two that loop, reach the token limit empty,
            repeat the data or contradict themselves, or without a reply.
    """
    reply: Reply[T] = yield ask
    asked, loops, quoted = 0, 0, 0
    while True:
        asked += 1 + len(reply.earlier)
        if reply.value is not None:
            return reply.value
        _stop_if_unanswered(reply)
        loops += (reply.problem == LOOPED) + _spent(reply)
        quoted += bool(reply.doubts)
        if asked >= MAX_ASKS or loops >= _MAX_LOOPS or quoted == _MAX_QUOTED:
            raise _unreadable(ask.prompt, f"the reply cannot be read: {reply.problem}", asked)
        reply = yield ask.noted(_note(reply.problem, asked + 1))


def judge_each(ask: Ask[dict[str, JudgeVerdict]]) -> Flow[dict[str, JudgeVerdict]]:
    """Judge every id of the ask's `Verdicts`; ask again for ids that a reply omits.

    After a truncated reply, the ids are split into two requests.

    Raises:
        Unanswered: if an id has no verdict after `MAX_ASKS` rounds, after two empty replies at the token
            limit, or without a reply.
    """
    schema = ask.schema
    if not isinstance(schema, Verdicts):
        raise TypeError(f"the form of {ask.prompt} is not Verdicts")
    verdicts: dict[str, JudgeVerdict] = {}
    quoted: Counter[str] = Counter()
    asks, problem, asked, spent = [ask], "", 0, 0
    while True:
        replies: list[Reply[dict[str, JudgeVerdict]]] = yield asks
        for reply in replies:
            _stop_if_unanswered(reply)
            verdicts |= reply.value or {}
            quoted.update(reply.doubts.keys())
            problem = reply.problem or next(iter(reply.doubts.values()), problem)
            spent += _spent(reply)
        asked += 1
        missing = [id_ for id_ in schema.ids if id_ not in verdicts]
        if not missing:
            return {id_: verdicts[id_] for id_ in schema.ids}
        if asked == MAX_ASKS or spent >= _MAX_LOOPS or any(quoted[id_] == _MAX_QUOTED for id_ in missing):
            why = f" ({problem})" if problem else ""
            requests = asked + sum(len(reply.earlier) for reply in replies)
            raise _unreadable(ask.prompt, f"no verdict on {len(missing)} of {len(schema.ids)}{why}", requests)
        asks = [_about(ask, schema, ids, problem, asked + 1) for ids in _halves(missing, problem)]


def _spent(reply: Reply[T]) -> int:
    """Number of empty replies at the token limit up to this one; the maximum if the judge sees no images."""
    if reply.problem == BLIND:
        return _MAX_LOOPS
    return 1 + len(reply.earlier) if reply.spent else 0


def _halves(ids: Sequence[str], problem: str) -> list[Sequence[str]]:
    middle = (len(ids) + 1) // 2
    return [ids[:middle], ids[middle:]] if "cut off" in problem and len(ids) > 1 else [ids]


def _about(
    ask: Ask[dict[str, JudgeVerdict]], schema: Verdicts, ids: Sequence[str], problem: str, time: int
) -> Ask[dict[str, JudgeVerdict]]:
    note = f"{_note(problem, time)} Give verdicts for these ids only: {', '.join(ids)}."
    return ask.noted(note, replace(schema, ids=tuple(ids)))


def _note(problem: str, time: int) -> str:
    """Note to the judge in a repeated request; it differs per attempt, so that the reply may differ too."""
    what = f"could not be used: {problem}" if problem else "left things out"
    attempt = f"Attempt {time} of {MAX_ASKS}: your last reply {what}."
    return f"{attempt} Reply with the JSON object only, and be brief.{_ADVICE.get(problem, '')}"


def _stop_if_unanswered(reply: Reply[T]) -> None:
    if reply.answer is None:
        raise Unanswered(reply.status, f"{reply.ask.prompt}: {reply.problem}")


def _unreadable(prompt: str, why: str, asks: int = MAX_ASKS) -> Unanswered:
    return Unanswered(Status.UNREADABLE, f"{prompt}: {why}, after {counted(asks, 'request')}")
