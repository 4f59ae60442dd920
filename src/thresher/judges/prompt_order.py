"""Order of a prompt's parts: instructions first, or the data that an item's metrics share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from thresher.errors import InputError

PromptOrder = Literal["instructions_first", "contexts_first", "contexts_first_warmed"]
INSTRUCTIONS_FIRST: PromptOrder = "instructions_first"
WARMED: PromptOrder = "contexts_first_warmed"
_CONTEXTS = "contexts"
_SHARED = (_CONTEXTS, "question", "answer")
"""Data that several prompts about an item contain, in the order in which they come first."""


@dataclass(frozen=True)
class Layout:
    """A user message with the contexts first.

    Attributes:
        text: the message.
        prefix: its beginning, which prompts of other metrics share.
    """

    text: str
    prefix: str


def has_contexts(blocks: Mapping[str, str]) -> bool:
    """Whether a prompt has contexts; only then is the shared part long enough for a provider's cache."""
    return _CONTEXTS in blocks


def contexts_first(blocks: Mapping[str, str], render: Callable[[Mapping[str, str]], str]) -> Layout:
    """Put shared data before the rest of a prompt, which refers to them by name.

    Args:
        blocks: the prompt's variables, with fences.
        render: fills in the prompt.
    """
    shared = [name for name in _SHARED if name in blocks]
    rest = render({**blocks, **{name: f"[{name}: above]" for name in shared}}).strip()
    return Layout("\n\n".join([*(blocks[name] for name in shared), rest]), blocks[_CONTEXTS])


def check_prompt_order(order: str) -> None:
    """Raise for an unknown order.

    Raises:
        InputError: names the orders.
    """
    if order not in get_args(PromptOrder):
        raise InputError(f"prompt_order={order!r} must be one of {', '.join(get_args(PromptOrder))}")
