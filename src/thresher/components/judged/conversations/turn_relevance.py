"""Share of an assistant's replies that are relevant to what the user says."""

from thresher.components.judged.conversations._shares import share_item
from thresher.components.judged.conversations._transcript import Transcript, conversation_job
from thresher.judges import Ask, Flow, JudgeVerdict, Verdicts, judge_each, prompt, together
from thresher.metrics import (
    Conversations,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    PositiveCount,
    Undefined,
    judged,
    judged_async,
    metric,
    score_by_policy,
)

_VERDICT = "conversations/turn_relevance"
_REPLY = "reply"
_COUNTS = ("relevant", "units")


@metric
class TurnRelevanceEvaluator(JudgedMetric):
    """Share of the units of a conversation whose reply is relevant.

    A unit is one or more turns of the user and the turns of the assistant that follow; a last turn of the
    user without a reply belongs to none. The judge sees a unit with the units before it, up to `window` in
    all.

    Formula: units with a relevant reply / units
    Source: DeepEval, "Turn Relevancy".
    Calls: 1 per unit, at the same time.
    Differs: a verdict that cannot be read is requested again, where DeepEval drops it and divides by the
        rest.

    Args:
        window: number of units that the judge sees, the judged one among them.
        undefined: score of a conversation without a unit; DeepEval's is `one`.

    ```python
    evaluator = TurnRelevanceEvaluator()
    chat = [{"role": "user", "content": "Is it cold?"}, {"role": "assistant", "content": "I like trains."}]
    evaluator.run(conversations=[chat])
    ```
    """

    window: PositiveCount = 10
    undefined: Undefined = "skip"
    name: str = "turn_relevance"

    @judged
    def run(self, conversations: Conversations) -> JudgeJob:
        """Judge the replies of each conversation."""
        return conversation_job(conversations, self._flow, prompts=(_VERDICT,), counts=_COUNTS)

    run_async = judged_async(run)

    def _flow(self, chat: Transcript) -> Flow[JudgedItem]:
        if not chat.units:
            return score_by_policy(self.undefined, "no turn of the user has a reply", _COUNTS)
        places = range(len(chat.units))
        verdicts = yield from together(*(judge_each(self._ask(chat, place)) for place in places))
        replies = {str(place + 1): _reply(chat, chat.units[place]) for place in places}
        by_unit = {unit: verdict[_REPLY] for unit, verdict in zip(replies, verdicts, strict=True)}
        return share_item(replies, by_unit, _COUNTS)

    def _ask(self, chat: Transcript, place: int) -> Ask[dict[str, JudgeVerdict]]:
        """Ask about the reply of one unit, the last one of its window."""
        unit, first = chat.units[place], chat.units[max(0, place + 1 - self.window)]
        shown = chat.window(first[0], unit[-1])
        turns = ", ".join(turn for turn in unit if f"{turn} assistant" in shown)
        return prompt(_VERDICT).ask(Verdicts((_REPLY,)), conversation=shown, turns=turns)


def _reply(chat: Transcript, unit: list[str]) -> str:
    """What the assistant says in a unit."""
    return "\n".join(chat.turns[turn] for turn in unit if f"{turn} assistant" in chat.shown)
