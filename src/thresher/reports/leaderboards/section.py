"""A part of a leaderboard below its table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.reports.table import Table


@dataclass(frozen=True)
class Section:
    """A part of a leaderboard below its table.

    Attributes:
        name: its key in JSON data: `pairs`, `settings`, `trade_offs` or `weighted`.
        title: a heading.
        table: rounded, for people.
        data: JSON data.
        reading: sentences that say what it shows.
    """

    name: str
    title: str
    table: Table
    data: Any
    reading: Sequence[str] = field(default=())

    @property
    def titled(self) -> Table:
        """The table under its title, with what it shows."""
        return Table(self.table.columns, self.table.rows, notes=[self.title], reading=self.reading)
