"""The texts of an item that a judge sees, under the names that a prompt uses."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from thresher.metrics.inputs import LIST_SOCKETS, read_text, read_texts

ShownSocket = Literal[
    "questions",
    "contexts",
    "predicted_answers",
    "second_predicted_answers",
    "ground_truth_answers",
    "ground_truth_contexts",
]
NAMES: dict[ShownSocket, str] = {
    "questions": "question",
    "contexts": "context",
    "predicted_answers": "answer",
    "second_predicted_answers": "second answer",
    "ground_truth_answers": "reference",
    "ground_truth_contexts": "reference context",
}
"""Input -> name of its entry in the prompt."""


def item_material(item: int, columns: Mapping[ShownSocket, Sequence[Any]]) -> dict[str, str]:
    """Return name -> text of an item; several texts of one input are numbered: "context 1", "context 2", ...

    Raises:
        InputError: for entries that are not texts; names the input and the item.
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
