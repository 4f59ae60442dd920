"""A comparison of three or more runs, which begins with their leaderboard.

Comparisons of two runs, and single runs, do not import leaderboards and their inference.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from thresher.errors import InputError
from thresher.reports.analysis import DEFAULT, Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.runs.run_data import RunData

if TYPE_CHECKING:
    from thresher.reports.leaderboards.leaderboard import LeaderboardReport

_FEWEST = 3
"""A comparison of two runs says all that a leaderboard of them would."""


def comparison_of(runs: Sequence[RunData], analysis: Analysis = DEFAULT) -> ComparisonReport:
    """Compare runs with the first; with three or more, their leaderboard comes before the differences."""
    return (ComparisonReport if len(runs) < _FEWEST else RankedComparison)(runs, analysis)


class RankedComparison(ComparisonReport):
    """Runs compared with the first, after a leaderboard of all.

    The leaderboard is ordered by the first measure that the comparison tests. Arguments are those of
    `ComparisonReport`.
    """

    def leading(self) -> "LeaderboardReport | None":
        """Return the leaderboard; None if the runs cannot be ranked."""
        return self._leaderboard[0]

    @property
    def notes(self) -> list[str]:
        """What to know before the numbers, and why there is no leaderboard."""
        return [*super().notes, *self._leaderboard[1]]

    def data(self) -> dict[str, Any]:
        """Return the comparison with the leaderboard under `leaderboard`; None if there is none."""
        leading = self.leading()
        return {**super().data(), "leaderboard": None if leading is None else leading.data()}

    @cached_property
    def _leaderboard(self) -> "tuple[LeaderboardReport | None, list[str]]":
        from thresher.reports.leaderboards.leaderboard import LeaderboardReport
        from thresher.reports.leaderboards.options import LeaderboardOptions

        tested = [name for name in self.family.measures if name in self.runs[0].metrics]
        options = LeaderboardOptions(
            primary=None if self.family.chosen == "declared" or not tested else tested[0],
            level=self.level,
            cluster=self.analysis.cluster,
            repeats=self.analysis.repeats,
            verdicts=self.analysis.verdicts,
        )
        try:
            return LeaderboardReport(dict(zip(self.names, self.runs, strict=True)), options), []
        except InputError as error:
            return None, [f"No leaderboard: {error}."]
