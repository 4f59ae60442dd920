"""Flows on a panel: each judge is asked, and the metric's own flow receives the pooled verdicts.

A metric's flow asks and scores as with one judge. Asks of verdicts go to every judge; what the flow receives
is the pooled value. Then the same flow runs once more for each judge, with the votes of that judge only and
without calls, so that every judge has a score of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from thresher.counted import counted
from thresher.judges.flow import Ask, Flow, Outcome, Reply
from thresher.judges.logprobs import WANTED
from thresher.judges.panels.judge_panel import JudgePanel
from thresher.judges.panels.pooling import Vote, pooled
from thresher.judges.reply_instruction import labels_of
from thresher.judges.reply_schema import PanelUse
from thresher.judges.schema import Verdicts
from thresher.judges.steps import answered, judge_each
from thresher.judges.walks import Walk
from thresher.results import Status

TIE = "tie"
_NOT_ASKED: Outcome[Any] = Outcome(
    None, Status.UNDEFINED, "the votes of this judge alone lead to an ask that no judge was asked"
)
_RANKS = (Status.FAILED, Status.UNREADABLE, Status.UNDEFINED)


@dataclass(frozen=True)
class Ballot:
    """The votes on one subject.

    Attributes:
        prompt: name of the prompt.
        subject: id of the subject, or name of the field of the reply.
        votes: per judge its vote; None if it gave none.
        pooled: the pooled vote; `TIE` for a tie, None with too few votes.
    """

    prompt: str
    subject: str
    votes: tuple[Vote | None, ...]
    pooled: Vote | None


@dataclass(frozen=True)
class PanelValue:
    """What the flow of an item on a panel returns.

    Attributes:
        pooled: outcome with the pooled votes; None if the scores of the judges are to be pooled.
        by_judge: per judge the outcome with its votes only.
        ballots: the votes on all subjects.
        unread: replies of judges whose votes are unreadable.
    """

    pooled: Outcome[Any] | None
    by_judge: tuple[Outcome[Any], ...]
    ballots: tuple[Ballot, ...] = ()
    unread: tuple[Reply[Any], ...] = ()


def voted(flow: Flow[Any], copies: Sequence[Flow[Any]], panel: JudgePanel) -> Flow[PanelValue]:
    """Run a metric's flow of one item on a panel.

    Args:
        flow: the flow.
        copies: one more flow of the same item for each judge.
        panel: the judges and how their votes are pooled.
    """
    walk, poll = Walk(flow), _Poll(panel)
    while walk.outcome is None:
        if any(_use(ask) == "item" for ask in walk.asks):
            return (yield from _by_item(copies, panel))
        walk.give((yield from poll.replies(walk.asks)))
    by_judge = tuple(poll.replayed(copy, judge) for judge, copy in enumerate(copies))
    return PanelValue(walk.outcome, by_judge, tuple(poll.ballots), tuple(poll.unread))


def too_few(votes: int, outcomes: Sequence[Outcome[Any]], panel: JudgePanel) -> tuple[Status, str]:
    """Status and reason of an item with fewer votes than `min_votes`; a failed call outranks other causes."""
    lost = [
        (outcome, name)
        for outcome, name in zip(outcomes, panel.names, strict=True)
        if outcome.status is not Status.SCORED
    ]
    status = min((outcome.status for outcome, _ in lost), key=_RANKS.index)
    why = "; ".join(f"{name}: {outcome.reason}" for outcome, name in lost)
    voted = f"{votes} of {counted(len(outcomes), 'judge')} voted"
    return status, f"{voted}, fewer than min_votes={panel.min_votes} ({why})"


@dataclass
class _Poll:
    """The asks of one item, and the replies of all judges to them."""

    panel: JudgePanel
    ballots: list[Ballot] = field(default_factory=list)
    unread: list[Reply[Any]] = field(default_factory=list)
    _known: dict[Any, list[Reply[Any]]] = field(default_factory=dict)

    def replies(self, asks: Sequence[Ask[Any]]) -> Flow[list[Reply[Any]]]:
        """Ask the judges, all concurrently; return one pooled reply per ask."""
        walks = {place: self._walks(ask) for place, ask in enumerate(asks)}
        yield from _advance(walk for group in walks.values() for walk in group)
        return [self._reply(ask, walks[place]) for place, ask in enumerate(asks)]

    def replayed(self, flow: Flow[Any], judge: int) -> Outcome[Any]:
        """Run a flow with the replies of one judge, without calls."""
        walk = Walk(flow)
        while walk.outcome is None:
            known = [self._known.get(_key(ask)) for ask in walk.asks]
            replies = [replies[judge] for replies in known if replies is not None]
            if len(replies) < len(known):
                return _NOT_ASKED
            walk.give(replies)
        return walk.outcome

    def _walks(self, ask: Ask[Any]) -> list[Walk[Any]]:
        """One walk per judge; only the extracting judge's for an extraction."""
        if _use(ask) == "once":
            return [Walk(_once(ask, self.panel))]
        judges = range(len(self.panel.judges))
        return [Walk(_asked(replace(ask, judge=judge))) for judge in judges]

    def _reply(self, ask: Ask[Any], walks: Sequence[Walk[Any]]) -> Reply[Any]:
        outcomes: list[Outcome[Any]] = [walk.outcome for walk in walks if walk.outcome is not None]
        if _use(ask) == "once":
            reply: Reply[Any] = replace(outcomes[0].result(), ask=ask)
            self._known[_key(ask)] = [reply] * len(self.panel.judges)
            return reply
        self.unread += [
            reply for outcome in outcomes if outcome.status is Status.UNREADABLE for reply in outcome.replies
        ]
        self._known[_key(ask)] = [_as_reply(ask, outcome) for outcome in outcomes]
        return self._pool(ask, outcomes)

    def _pool(self, ask: Ask[Any], outcomes: Sequence[Outcome[Any]]) -> Reply[Any]:
        """The reply with the pooled votes; without an answer if they decide nothing."""
        valid = [outcome for outcome in outcomes if outcome.status is Status.SCORED]
        enough = len(valid) >= self.panel.min_votes
        decided: dict[str, Vote] = {}
        tied = []
        for subject, votes in _by_subject(ask, outcomes).items():
            elected = self._elect(votes) if enough else None
            shown = TIE if enough and elected is None else elected
            self.ballots.append(Ballot(ask.prompt, subject, votes, shown))
            final = self._untied(ask, votes) if elected is None and enough else elected
            decided |= {} if final is None else {subject: final}
            tied += [subject] if final is None else []
        if not enough:
            status, reason = too_few(len(valid), outcomes, self.panel)
            return Reply.failed(ask, reason, status)
        if tied:
            status = Status.UNREADABLE if self.panel.ties == "unreadable" else Status.UNDEFINED
            return Reply.failed(ask, f"the votes of the judges tie on {', '.join(tied)}", status)
        value = ask.schema.elected([outcome.value for outcome in valid], decided)
        return Reply(ask, valid[0].replies[-1].answer, value)

    def _elect(self, votes: Sequence[Vote | None]) -> Vote | None:
        shares = self.panel.shares()
        cast = [(vote, share) for vote, share in zip(votes, shares, strict=True) if vote is not None]
        return pooled([vote for vote, _ in cast], self.panel.pool, [share for _, share in cast])

    def _untied(self, ask: Ask[Any], votes: Sequence[Vote | None]) -> Vote | None:
        """The vote that a tie counts as; None for none, e.g. for a label that the form of the ask lacks."""
        if self.panel.ties == "first":
            return next(vote for vote in votes if vote is not None)
        return self.panel.ties if self.panel.ties in {*votes, *labels_of(ask.schema)} else None


def _by_item(copies: Sequence[Flow[Any]], panel: JudgePanel) -> Flow[PanelValue]:
    """Ask every judge all about the item; only extractions are asked of one."""
    walks = [Walk(_addressed(copy, judge, panel)) for judge, copy in enumerate(copies)]
    yield from _advance(walks)
    outcomes = tuple(walk.outcome for walk in walks if walk.outcome is not None)
    unread = [reply for outcome in outcomes for reply in outcome.unread]
    return PanelValue(None, outcomes, unread=tuple(unread))


def _addressed(flow: Flow[Any], judge: int, panel: JudgePanel) -> Flow[Any]:
    """A flow whose asks go to one judge of a panel."""
    walk = Walk(flow)
    while walk.outcome is None:
        asked = [Walk(_once(ask, panel, None if _use(ask) == "once" else judge)) for ask in walk.asks]
        yield from _advance(asked)
        walk.give([part.outcome.result() for part in asked if part.outcome is not None])
    return walk.outcome.result()


def _advance(walks: Iterable[Walk[Any]]) -> Flow[None]:
    """Run walks concurrently to their outcomes, whatever these are."""
    walks = list(walks)
    while asks := [ask for walk in walks for ask in walk.asks]:
        replies = iter((yield asks))
        for walk in walks:
            if walk.asks:
                walk.give([next(replies) for _ in walk.asks])


def _once(ask: Ask[Any], panel: JudgePanel, judge: int | None = None) -> Flow[Reply[Any]]:
    """The reply to one request; the metric's flow asks again if it cannot be read.

    Args:
        ask: the request.
        panel: the judges.
        judge: the judge to ask; None for the one that extracts, and if its call fails the next that replies.
    """
    others = [place for place in range(len(panel.judges)) if place != panel.lead]
    first, *rest = [panel.lead, *others] if judge is None else [judge]
    reply: Reply[Any] = yield replace(ask, judge=first)
    for place in rest:
        if reply.answer is not None:
            break
        reply = yield replace(ask, judge=place)
    return reply


def _asked(ask: Ask[Any]) -> Flow[Any]:
    return judge_each(ask) if isinstance(ask.schema, Verdicts) else answered(ask)


def _as_reply(ask: Ask[Any], outcome: Outcome[Any]) -> Reply[Any]:
    """The outcome of one judge as the reply that the metric's flow receives."""
    if outcome.status is not Status.SCORED:
        return Reply.failed(ask, outcome.reason, outcome.status)
    return Reply(ask, outcome.replies[-1].answer, outcome.value)


def _use(ask: Ask[Any]) -> PanelUse:
    """What a panel does with an ask; log-probabilities of different models cannot be pooled as votes."""
    return "item" if set(WANTED) <= set(ask.options) else ask.schema.panel_use


def _key(ask: Ask[Any]) -> tuple[Any, ...]:
    return ask.digest, ask.schema.form, ask.sample, ask.options


def _by_subject(ask: Ask[Any], outcomes: Sequence[Outcome[Any]]) -> dict[str, tuple[Vote | None, ...]]:
    """The votes of all judges by subject; without any vote, None for each subject of the form."""
    cast = [
        ask.schema.votes(outcome.value) if outcome.status is Status.SCORED else {} for outcome in outcomes
    ]
    subjects = dict.fromkeys(subject for votes in cast for subject in votes) or ask.schema.things
    return {subject: tuple(votes.get(subject) for votes in cast) for subject in subjects}


def plain_ballot(ballot: Ballot, names: Sequence[str]) -> Mapping[str, Any]:
    """A ballot as plain data, for the item's evidence."""
    votes = dict(zip(names, ballot.votes, strict=True))
    return {"prompt": ballot.prompt, "subject": ballot.subject, "votes": votes, "pooled": ballot.pooled}
