"""The measures and tables of a metric that searches the best thresholds."""

from dataclasses import dataclass

from thresher.kernels.thresholds.best_threshold import BestThreshold
from thresher.kernels.thresholds.choice import Goal
from thresher.kernels.thresholds.tables import LabelThresholdTable, ThresholdCurve, ThresholdTable
from thresher.results import Breakdown

_OPTIONS: dict[Goal, str] = {"recall_at_precision": "min_precision", "precision_at_recall": "min_recall"}


@dataclass(frozen=True)
class ThresholdSearch:
    """What thresholds are searched for.

    Attributes:
        beta: weight of recall relative to precision in F.
        min_precision: floor under which recall is not looked at; None for no such search.
        min_recall: floor under which precision is not looked at.
    """

    beta: float = 1.0
    min_precision: float | None = None
    min_recall: float | None = None

    def reductions(self, name: str) -> dict[str, BestThreshold]:
        """Name of a measure -> its reduction.

        >>> list(ThresholdSearch(min_precision=0.9).reductions("best"))
        ['best', 'best_macro', 'best_per_label', 'best_recall_at_precision']
        """
        return {
            name: BestThreshold("f", self.beta),
            f"{name}_macro": BestThreshold("f", self.beta, "macro"),
            f"{name}_per_label": BestThreshold("f", self.beta, "per_label"),
            **{f"{name}_{goal}": BestThreshold(goal, floor) for goal, floor in self._floors.items()},
        }

    def tables(self) -> list[Breakdown]:
        """The tables of all labels together and of each label, for F and for each floor; and the curve."""
        tables: list[Breakdown] = [
            ThresholdTable("overall", "f", self.beta, self.beta),
            LabelThresholdTable("by_label", "f", self.beta, self.beta),
        ]
        for goal, floor in self._floors.items():
            tables.append(ThresholdTable(f"overall_{goal}", goal, floor, self.beta))
            tables.append(LabelThresholdTable(f"by_label_{goal}", goal, floor, self.beta))
        return [*tables, ThresholdCurve("curve", self.beta)]

    @staticmethod
    def unrelated(reduction: BestThreshold) -> list[str]:
        """Names of the options that do not change the value of a reduction."""
        return [option for goal, option in _OPTIONS.items() if goal != reduction.goal]

    @property
    def _floors(self) -> dict[Goal, float]:
        floors = {goal: getattr(self, option) for goal, option in _OPTIONS.items()}
        return {goal: floor for goal, floor in floors.items() if floor is not None}
