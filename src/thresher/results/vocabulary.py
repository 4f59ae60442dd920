"""The closed vocabulary of sockets: one name, one meaning, everywhere.

A socket carries a list with one entry per item, parallel to all others, so
`pipeline.run({"questions": [...], ...})` feeds every metric at once.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Role = Literal["id", "task", "output"]


@dataclass(frozen=True)
class Socket:
    """One input column of metrics.

    Attributes:
        name: the socket's name, plural.
        role: `task` for data of the data set, `output` for what the system under test produced.
        entry: the type and meaning of one item's entry.
    """

    name: str
    role: Role
    entry: str


_SOCKETS = (
    Socket("ids", "id", "str: names the item; runs are joined by it"),
    Socket("questions", "task", "str: the question"),
    Socket("ground_truth_answers", "task", "str, or list[str] when several answers are right"),
    Socket("ground_truth_documents", "task", "list of Documents or ids that are relevant"),
    Socket("ground_truth_contexts", "task", "list[str]: the passages that a right answer rests on"),
    Socket("reference_tool_calls", "task", "list of the calls of tools that are expected, in order"),
    Socket("reference_conversations", "task", "list of messages: how the conversation should go"),
    Socket("reference_topics", "task", "list[str]: the topics that the assistant should answer"),
    Socket("chatbot_roles", "task", "str: the role that the assistant should keep to"),
    Socket("ground_truths", "task", "the true label, objects or label map of an item"),
    Socket("difficulty_levels", "task", "list[str]: KITTI's level of each true object of an image"),
    Socket("rubrics", "task", "dict: rating -> what an answer must be like to get it; `criteria`: of what"),
    Socket("conditions", "task", "dict: kind of condition -> texts that the answer is checked for"),
    Socket("contexts", "output", "list[str]: the passages that the answer was written from"),
    Socket("predicted_answers", "output", "str: what the system answered"),
    Socket("second_predicted_answers", "output", "str: what another system answered, to be compared with"),
    Socket("predictions", "output", "predicted label, scores, objects or label map of an item"),
    Socket(
        "conversations", "output", "list of messages: a conversation with calls of tools and their results"
    ),
    Socket("matches", "output", "predicted and true objects of an image, matched"),
    Socket("retrieved_documents", "output", "list of Documents or ids, best first"),
    Socket("rankings", "output", "list of [id, score], best first: what was retrieved"),
    Socket("seconds", "output", "float: how long the answer took"),
    Socket("input_tokens", "output", "int: tokens sent to models for the answer"),
    Socket("output_tokens", "output", "int: tokens received from them"),
    Socket("costs", "output", "float: price of these tokens"),
)
VOCABULARY = MappingProxyType({socket.name: socket for socket in _SOCKETS})


def is_output(column: str) -> bool:
    """Whether a column holds output of the system under test, so that two runs may differ in it."""
    socket = VOCABULARY.get(column)
    if socket is not None:
        return socket.role == "output"
    return column.startswith("predicted")
