"""The user's goal and the outcome of a conversation, which several metrics ask for in one prompt."""

from thresher.components.judged.conversations._forms import NamedTexts
from thresher.components.judged.conversations._transcript import Transcript
from thresher.judges import Flow, answered, prompt

GOAL = "conversations/goal"


def goal_and_outcome(chat: Transcript) -> Flow[tuple[str, ...]]:
    """Ask what the user wants, and what is true at the end of the conversation."""
    subject = next(iter(chat.said_by("user").values()), "")
    ask = prompt(GOAL).ask(NamedTexts(("goal", "outcome")), subject=subject, conversation=chat.shown)
    return (yield from answered(ask))
