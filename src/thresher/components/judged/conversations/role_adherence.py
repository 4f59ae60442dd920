"""Share of an assistant's turns that keep to its role."""

from thresher.components.judged.conversations._shares import judged_share
from thresher.components.judged.conversations._transcript import Transcript, transcripts
from thresher.judges import Flow, Unanswered
from thresher.metrics import (
    Conversations,
    Items,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    TextColumn,
    Undefined,
    judged,
    judged_async,
    metric,
    read_text,
)
from thresher.results import Status

_VERDICTS = "conversations/role_adherence"
_COUNTS = ("in_role", "turns")


@metric
class RoleAdherenceEvaluator(JudgedMetric):
    """Share of an assistant's turns that keep to the role that it is given.

    The role is the entry of `chatbot_roles`; without this input, the messages of the system.

    Formula: turns in the role / turns of the assistant with a text
    Source: DeepEval, "Role Adherence".
    Calls: 1 per item.
    Differs: DeepEval asks for a list of turns out of the role, whose numbers it does not check: a user's turn
        counts, and one that is listed twice counts twice. Here each turn of the assistant has a verdict.

    Args:
        undefined: score of a conversation without a turn of the assistant; DeepEval's is `one`.

    ```python
    evaluator = RoleAdherenceEvaluator()
    chat = [{"role": "user", "content": "Hi!"}, {"role": "assistant", "content": "Arr, what be ye after?"}]
    evaluator.run(conversations=[chat], chatbot_roles=["A polite clerk."])
    ```
    """

    undefined: Undefined = "skip"
    name: str = "role_adherence"

    @judged
    def run(self, conversations: Conversations, chatbot_roles: TextColumn | None = None) -> JudgeJob:
        """Judge the turns of each conversation.

        Args:
            chatbot_roles: per item the role of the assistant; None leaves the item out as missing. Without
                this input, the role is what the system's messages say; a conversation without them is left
                out as missing.
        """
        given = {} if chatbot_roles is None else {"chatbot_roles": chatbot_roles}
        items = Items(conversations=conversations, **given)
        roles = [None if chatbot_roles is None else chatbot_roles[item] for item in items.present]
        flows = [
            self._flow(chat, None if role is None else read_text(item, "chatbot_roles", role))
            for item, chat, role in zip(items.present, transcripts(items, conversations), roles, strict=True)
        ]
        return JudgeJob(items, flows, (_VERDICTS,), _COUNTS)

    run_async = judged_async(run)

    def _flow(self, chat: Transcript, role: str | None) -> Flow[JudgedItem]:
        role = "\n".join(chat.said_by("system").values()) if role is None else role
        if not role.strip():
            raise Unanswered(
                Status.MISSING, "no role: no message of the system and no entry in chatbot_roles"
            )
        turns = chat.said_by("assistant")
        nothing = (self.undefined, "the assistant says nothing")
        data = {"conversation": chat.shown, "role": role, "turns": ", ".join(turns)}
        return (yield from judged_share(_VERDICTS, turns, _COUNTS, nothing, data))
