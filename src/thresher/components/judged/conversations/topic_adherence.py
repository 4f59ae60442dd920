"""How well an assistant keeps to the topics that it is for."""

from collections.abc import Mapping
from typing import Literal

from thresher.components.judged.conversations._transcript import Transcript, transcripts
from thresher.judges import Flow, JudgeVerdict, Texts, Verdicts, answered, judge_each, prompt, together
from thresher.judges.prompt import numbered
from thresher.metrics import (
    Conversations,
    ExtraMeasure,
    Items,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    RatioOfSums,
    TextListColumn,
    Undefined,
    judged,
    judged_async,
    metric,
    read_texts,
    score_by_policy,
)

_TOPICS, _ANSWERED, _WITHIN = (f"conversations/topic{step}" for step in ("s", "s.answered", "s.within"))
_COUNTS = ("tp", "fp", "fn")
_TERMS = {
    "precision": (("tp", 1.0), ("fp", 1.0)),
    "recall": (("tp", 1.0), ("fn", 1.0)),
    "f1": (("tp", 1.0), ("fp", 0.5), ("fn", 0.5)),
}
"""Denominators; the numerator is tp."""
_POOLED = [
    ExtraMeasure(f"micro_{mode}", reduction=RatioOfSums((("tp", 1.0),), terms))
    for mode, terms in _TERMS.items()
]


@metric
class TopicAdherenceEvaluator(JudgedMetric):
    """F1, precision or recall of the topics that an assistant answers and those that it should answer.

    A topic of the user is a true positive if it is answered and within the reference topics, a false positive
    if it is answered and outside them, and a false negative if it is within them and refused. Four measures:
    the mean over items, and precision, recall and F1 of all items' topics together (`<name>_micro_...`).

    Formula: F1 = 2 * tp / (2 * tp + fp + fn); precision = tp / (tp + fp); recall = tp / (tp + fn)
    Source: ragas, "Topic Adherence".
    Calls: 3 per item.
    Differs: ragas asks about each topic in a call of its own, pads a list of verdicts that is too short with
        no and cuts one that is too long, and adds 1e-10 to denominators. Here each topic has an id, a missing
        one is requested again, and 0/0 is undefined; `undefined="zero"` gives ragas' value.

    Args:
        mode: the value of an item: `f1`, `precision` or `recall`.
        undefined: score of an item without topics, or whose denominator is 0.

    ```python
    evaluator = TopicAdherenceEvaluator()
    words = ["Who won the match?", "I only know trains."]
    chat = [{"role": role, "content": text} for role, text in zip(["user", "assistant"], words)]
    evaluator.run(conversations=[chat], reference_topics=[["trains", "tickets"]])
    ```
    """

    mode: Literal["f1", "precision", "recall"] = "f1"
    undefined: Undefined = "skip"
    name: str = "topic_adherence"

    @judged
    def run(self, conversations: Conversations, reference_topics: TextListColumn) -> JudgeJob:
        """Judge the topics of each conversation."""
        items = Items(conversations=conversations, reference_topics=reference_topics)
        flows = [
            self._flow(chat, read_texts(item, "reference_topics", reference_topics[item]))
            for item, chat in zip(items.present, transcripts(items, conversations), strict=True)
        ]
        return JudgeJob(items, flows, (_TOPICS, _ANSWERED, _WITHIN), _COUNTS, measures=_POOLED)

    run_async = judged_async(run)

    def _flow(self, chat: Transcript, references: list[str]) -> Flow[JudgedItem]:
        said = chat.said_by("user")
        if not said:
            return score_by_policy(self.undefined, "the user says nothing", _COUNTS)
        subject = "\n".join(said.values())
        ask = prompt(_TOPICS).ask(Texts("topics"), subject=subject, conversation=chat.shown)
        topics = numbered(list(dict.fromkeys((yield from answered(ask)))))
        if not topics:
            return score_by_policy(self.undefined, "the user raises no topic", _COUNTS)
        form = Verdicts(tuple(topics))
        treated, within = yield from together(
            judge_each(prompt(_ANSWERED).ask(form, conversation=chat.shown, topics=topics)),
            judge_each(prompt(_WITHIN).ask(form, reference_topics=references, topics=topics)),
        )
        return self._scored(topics, treated, within)

    def _scored(
        self,
        topics: Mapping[str, str],
        treated: Mapping[str, JudgeVerdict],
        within: Mapping[str, JudgeVerdict],
    ) -> JudgedItem:
        labels = [(treated[id_].label, within[id_].label) for id_ in topics]
        outcomes = (("yes", "yes"), ("yes", "no"), ("no", "yes"))
        counts = dict(zip(_COUNTS, map(labels.count, outcomes), strict=True))
        denominator = sum(weight * counts[name] for name, weight in _TERMS[self.mode])
        if not denominator:
            return score_by_policy(self.undefined, f"no topic counts for {self.mode}", _COUNTS)
        evidence = [
            {
                "id": id_,
                "text": topic,
                "answered": treated[id_].label,
                "within": within[id_].label,
                "reason": f"{treated[id_].reason} {within[id_].reason}".strip(),
            }
            for id_, topic in topics.items()
        ]
        return JudgedItem(counts["tp"] / denominator, counts, {"topics": evidence})
