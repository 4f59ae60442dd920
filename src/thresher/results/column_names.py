"""What a column name may mean, and how names are compared."""

import re
from dataclasses import dataclass
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
