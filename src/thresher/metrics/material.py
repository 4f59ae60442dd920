"""What a judge is shown of an item, by names that a prompt can show."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.metrics.inputs import LIST_SOCKETS, read_text, read_texts

NAMES = {
    "questions": "question",
    "contexts": "context",
    "predicted_answers": "answer",
    "second_predicted_answers": "second answer",
    "ground_truth_answers": "reference",
    "ground_truth_contexts": "reference context",
}
"""Socket -> what the prompt calls its entry."""


def check_inputs(inputs: Sequence[str]) -> list[str]:
    """The sockets, in the order in which a judge is shown them.

    Raises:
        InputError: for none, one that stands twice, and one that holds no texts.
    """
    if isinstance(inputs, str) or not inputs or len(set(inputs)) < len(inputs):
        raise InputError(f"inputs={inputs!r} must be a list of different sockets")
    for socket in inputs:
        if socket not in NAMES:
            raise InputError(f"inputs: {socket!r} cannot be shown; choose among {', '.join(NAMES)}")
    return list(inputs)


def material(item: int, columns: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Name -> text; several texts of one socket are numbered: "context 1", "context 2", ...

    Raises:
        InputError: for entries that are no texts; names item and socket.
    """
    shown: dict[str, str] = {}
    for socket, column in columns.items():
        name = NAMES[socket]
        if socket not in LIST_SOCKETS:
            shown[name] = read_text(item, socket, column[item])
            continue
        parts = read_texts(item, socket, column[item])
        many = len(parts) > 1
        shown |= {f"{name} {place}" if many else name: part for place, part in enumerate(parts, 1)}
    return shown
