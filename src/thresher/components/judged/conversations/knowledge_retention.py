"""Share of an assistant's turns that keep in mind what the user has said."""

from thresher.components.judged.conversations._forms import TextsByTurn
from thresher.components.judged.conversations._shares import judged_share
from thresher.components.judged.conversations._transcript import Transcript, conversation_job
from thresher.judges import Flow, answered, prompt
from thresher.judges.prompt import numbered
from thresher.metrics import (
    Conversations,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Undefined,
    judged,
    judged_async,
    metric,
    score_by_policy,
)

_FACTS, _VERDICTS = "conversations/knowledge_retention.facts", "conversations/knowledge_retention"
_COUNTS = ("retaining", "turns")


@metric
class KnowledgeRetentionEvaluator(JudgedMetric):
    """Share of an assistant's turns that keep in mind the facts that the user has stated before.

    A turn fails if it asks for something that the user has stated, contradicts it, or ignores a correction.
    The turns after the first fact count.

    Formula: turns that retain all facts before them / turns of the assistant after the first fact
    Source: DeepEval, "Knowledge Retention".
    Calls: 2 per item: the facts of all turns of the user, then all turns of the assistant.
    Differs: DeepEval makes one call per turn, one after the other. Here a fact has the number of its turn, so
        that the judge sees which of two facts is the later one.

    Args:
        undefined: score of a conversation without facts, or without a turn of the assistant after the first
            one; DeepEval's is `one`.

    ```python
    evaluator = KnowledgeRetentionEvaluator()
    words = ["I live in Lyon.", "Noted.", "Is it cold today?", "Where do you live?"]
    chat = [{"role": role, "content": text} for role, text in zip(["user", "assistant"] * 2, words)]
    evaluator.run(conversations=[chat])
    ```
    """

    undefined: Undefined = "skip"
    name: str = "knowledge_retention"

    @judged
    def run(self, conversations: Conversations) -> JudgeJob:
        """Judge the turns of each conversation."""
        return conversation_job(conversations, self._flow, prompts=(_FACTS, _VERDICTS), counts=_COUNTS)

    run_async = judged_async(run)

    def _flow(self, chat: Transcript) -> Flow[JudgedItem]:
        said = chat.said_by("user")
        if not said:
            return score_by_policy(self.undefined, "the user says nothing", _COUNTS)
        form = TextsByTurn(tuple(said))
        ask = prompt(_FACTS).ask(
            form, subject=next(iter(said.values())), conversation=chat.shown, turns=", ".join(said)
        )
        by_turn = yield from answered(ask)
        facts = [f"turn {turn}: {fact}" for turn, texts in by_turn.items() for fact in texts]
        if not facts:
            return score_by_policy(self.undefined, "the user states no fact", _COUNTS)
        first = next(int(turn) for turn, texts in by_turn.items() if texts)
        turns = {turn: text for turn, text in chat.said_by("assistant").items() if int(turn) > first}
        nothing = (self.undefined, "the assistant says nothing after the first fact")
        data = {"conversation": chat.shown, "facts": numbered(facts), "turns": ", ".join(turns)}
        return (yield from judged_share(_VERDICTS, turns, _COUNTS, nothing, data))
