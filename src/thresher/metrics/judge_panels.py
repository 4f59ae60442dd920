"""Judged metrics with one judge, and with a panel: flows, scores of every judge, and what results show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.judges import Flow, Outcome, Reply
from thresher.judges.panels.judge_panel import JudgePanel
from thresher.judges.panels.pooling import pooled
from thresher.judges.panels.voting import PanelValue, plain_ballot, too_few, voted
from thresher.kernels.inference.panel_tables import PanelAgreement, PanelJudges
from thresher.kernels.inference.panels import PanelMean, panel_columns
from thresher.metrics.judge_job import JudgedItem, JudgeJob
from thresher.results import Breakdown, Measure, Statistics, Status

_NO_VALUE: Outcome[Any] = Outcome(None, Status.FAILED, "it was not asked")


class SingleJudge:
    """A job that one judge answers; `PanelJob` overrides what differs with several.

    Attributes:
        job: what the metric asks.
        flows: the flows to run.
        breakdowns: tables of the result.
    """

    def __init__(self, job: JudgeJob) -> None:
        self.job = job
        self.flows: Sequence[Flow[Any]] = job.flows
        self.breakdowns: Sequence[Breakdown] = ()

    def judged(self, ended: Sequence[Outcome[Any]]) -> Sequence[Outcome[JudgedItem]]:
        """The judged items from what the flows returned."""
        return self.job.finish(ended)

    def evidence(self, item: int) -> Mapping[str, Any]:
        """Further evidence of an item."""
        del item
        return {}

    def reply_evidence(self, reply: Reply[Any]) -> dict[str, Any]:
        """A reply as evidence."""
        return reply.evidence()

    def headline(self, measure: Measure) -> Measure:
        """The headline measure."""
        return measure

    def statistics(self, columns: Mapping[str, Any]) -> Statistics:
        """The statistics of the result."""
        return Statistics(columns)


class PanelJob(SingleJudge):
    """A job that several judges answer.

    Args:
        job: what the metric asks.
        panel: the judges and how their votes are pooled.
        again: makes an equal job, once for each judge, whose flows give that judge's own scores.

    Raises:
        InputError: without `again`.
    """

    def __init__(self, job: JudgeJob, panel: JudgePanel, again: Callable[[], JudgeJob] | None) -> None:
        super().__init__(job)
        if again is None:
            raise InputError("a panel of judges needs `run_job(metric, job, again)`; pass what makes the job")
        self._panel = panel
        self._copies = [again() for _ in panel.judges]
        flows = zip(job.flows, *(copy.flows for copy in self._copies), strict=True)
        self.flows = [voted(flow, copies, panel) for flow, *copies in flows]
        self._values: dict[int, PanelValue] = {}
        self._scores = np.full((job.items.size, len(panel.judges)), np.nan)
        names = tuple(panel.names)
        self.breakdowns = (PanelJudges(names), PanelAgreement(names))

    def judged(self, ended: Sequence[Outcome[Any]]) -> Sequence[Outcome[JudgedItem]]:
        """The judged items from the pooled votes, or with the pooled scores of the judges."""
        values = [outcome.value or self._unasked(outcome) for outcome in ended]
        self._values = dict(zip(self.job.items.present, values, strict=True))
        by_judge = [
            copy.finish([value.by_judge[judge] for value in values])
            for judge, copy in enumerate(self._copies)
        ]
        finished = self.job.finish([value.pooled or _NO_VALUE for value in values])
        judged = [
            self._pool(outcomes) if value.pooled is None else item
            for value, item, *outcomes in zip(values, finished, *by_judge, strict=True)
        ]
        for place, outcomes in zip(self.job.items.present, zip(*by_judge, strict=True), strict=True):
            self._scores[place] = [
                np.nan if outcome.value is None else outcome.value.score for outcome in outcomes
            ]
        return [replace(item, replies=outcome.replies) for item, outcome in zip(judged, ended, strict=True)]

    def evidence(self, item: int) -> Mapping[str, Any]:
        """The votes on the item, and the score that each judge's votes alone give."""
        names, ballots = self._panel.names, self._values[item].ballots
        scores = [None if np.isnan(score) else float(score) for score in self._scores[item]]
        votes = {"votes": [plain_ballot(ballot, names) for ballot in ballots]} if ballots else {}
        return {**votes, "judges": dict(zip(names, scores, strict=True))}

    def reply_evidence(self, reply: Reply[Any]) -> dict[str, Any]:
        """A reply with the name of its judge."""
        return {"judge": self._panel.names[reply.ask.judge], **reply.evidence()}

    def headline(self, measure: Measure) -> Measure:
        """The mean, whose interval includes the differences between judges."""
        return replace(measure, reduction=PanelMean(judges=len(self._panel.judges)))

    def statistics(self, columns: Mapping[str, Any]) -> Statistics:
        """The statistics, with the scores and votes of the judges."""
        votes = [
            [ballot.votes for ballot in self._values[item].ballots] if item in self._values else []
            for item in range(self.job.items.size)
        ]
        return panel_columns(columns, self._scores, votes)

    def _unasked(self, outcome: Outcome[Any]) -> PanelValue:
        return PanelValue(outcome, (outcome,) * len(self._panel.judges))

    def _pool(self, outcomes: Sequence[Outcome[JudgedItem]]) -> Outcome[JudgedItem]:
        """The item with the pooled score of the judges; its counts are their means."""
        panel = self._panel
        items = [outcome.value for outcome in outcomes if outcome.value is not None]
        if len(items) < panel.min_votes:
            status, reason = too_few(len(items), outcomes, panel)
            return Outcome(None, status, reason)
        shares = [
            share
            for outcome, share in zip(outcomes, panel.shares(), strict=True)
            if outcome.value is not None
        ]
        score = pooled([item.score for item in items], panel.pool, shares)
        if score is None:
            return Outcome(None, Status.UNREADABLE, "the judges with a weight above 0 gave no score")
        counts = {name: float(np.mean([item.counts[name] for item in items])) for name in items[0].counts}
        return Outcome(
            JudgedItem(float(score), counts, {"by_judge": [dict(item.evidence) for item in items]})
        )
