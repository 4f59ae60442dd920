"""What a column name may mean, and how names are compared."""

import re
from dataclasses import dataclass
from functools import reduce
from typing import Literal

Rank = Literal["always", "conditional", "clear", "loose"]
"""How sure the meaning of a name is; `clear` and `loose` names give way to surer ones."""

_WHEN = {
    "always": "always",
    "clear": "no other column has this meaning",
    "loose": "no clearer name has this meaning",
}


@dataclass(frozen=True)
class KnownName:
    """One column name that is understood without a mapping.

    Attributes:
        column: the name; matched regardless of case, and camelCase, blanks and hyphens as underscores.
        socket: its meaning.
        used_by: the frameworks and formats that use the name.
        condition: when it has that meaning; empty if the rank says all.
        rank: `always`; `conditional` on the other columns; `clear`, unless a surer name claims the socket;
            `loose`, unless a surer or clear name does. Two names of one of the last ranks cancel each other.
    """

    column: str
    socket: str
    used_by: str
    condition: str = ""
    rank: Rank = "always"

    @property
    def when(self) -> str:
        """When the column has that meaning, in words."""
        if self.rank == "conditional":
            return self.condition
        return f"{_WHEN[self.rank]}, and {self.condition}" if self.condition else _WHEN[self.rank]


def key_of(column: str) -> str:
    """A column name in the form in which names are compared.

    >>> key_of("actualOutput"), key_of(" User Input"), key_of("user-input")
    ('actual_output', 'user_input', 'user_input')
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column.strip())
    return re.sub(r"[\s-]+", "_", parted).lower()


Side = Literal["question", "answer", "reference", "mixed"]
"""What a name says about a column: `answer` is the system's, `mixed` says several things."""
_KINDS = {
    "question": (
        "input inputs instruction problem prompt prompts queries query question questions request user"
    ),
    "answer": (
        "agent assistant bot candidate chatbot completion completions generation generations hypothesis llm "
        "model output outputs reply response responses system"
    ),
    "predicted": "generated pred predicted prediction predictions",
    "reference": "correct expected gold golden ground gt ideal ref reference references true truth truths",
    "label": "label labels target targets",
    "either": "answer answers",
    "mixed": "actual example examples",
}
_WORDS = {word: kind for kind, words in _KINDS.items() for word in words.split()}
"""Word of a name -> its kind. `actual` is the prediction of some tools and the truth of others; `example` has
what a data set says, in which `outputs` are references."""
_JOINED = {
    ("reference", "answer"): "reference",
    ("label", "answer"): "reference",
    ("reference", "label"): "reference",
    ("label", "reference"): "reference",
    ("label", "predicted"): "predicted",
    ("predicted", "label"): "predicted",
    ("answer", "label"): "answer",
    ("answer", "predicted"): "predicted",
    ("predicted", "answer"): "predicted",
    **{(kind, "either"): kind for kind in ("answer", "predicted", "reference", "label")},
    **{("either", kind): kind for kind in ("answer", "predicted", "reference", "label")},
}
"""Kind of the words so far and of the next word -> kind of both; `mixed` for other pairs of two kinds. The
outer word decides: outputs that a reference has are references, while a reference in an output is unclear."""
_SIDES: dict[str, Side] = {
    "question": "question",
    "answer": "answer",
    "predicted": "answer",
    "reference": "reference",
    "label": "reference",
    "mixed": "mixed",
}


def side_of(*names: str) -> Side | None:
    """What the words of names mean, the outer one first; None if they are unknown.

    >>> side_of("outputs", "answer"), side_of("referenceOutputs.answer"), side_of("answer")
    ('answer', 'reference', None)
    >>> side_of("outputs", "reference"), side_of("inputs.answer"), side_of("predicted_label")
    ('mixed', 'mixed', 'answer')
    """
    words = (word for name in names for word in re.split(r"[\W_]+", key_of(name)))
    kinds = [_WORDS[word] for word in words if word in _WORDS]
    return _SIDES.get(reduce(_both, kinds)) if kinds else None


def _both(first: str, second: str) -> str:
    return first if first == second else _JOINED.get((first, second), "mixed")
