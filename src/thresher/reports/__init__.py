"""Evaluation results and the reports made from them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.reports.analysis import Analysis
    from thresher.reports.by_label.label_comparison import ByLabelComparison
    from thresher.reports.by_label.label_report import ByLabelReport
    from thresher.reports.comparisons.comparison_report import ComparisonReport
    from thresher.reports.judge_cards import judge_card
    from thresher.reports.leaderboards.leaderboard import LeaderboardReport
    from thresher.reports.rendering.registry import Renderer
    from thresher.reports.report import Report
    from thresher.reports.runs.run_report import RunReport
    from thresher.reports.slices.slice_comparison import SliceComparison
    from thresher.reports.slices.slice_report import SliceReport
    from thresher.reports.table import Table
    from thresher.reports.thresholds.best_thresholds import BestThresholds
    from thresher.reports.thresholds.label_thresholds import LabelThresholds

_MODULES = {
    "Analysis": "analysis",
    "BestThresholds": "thresholds.best_thresholds",
    "ByLabelComparison": "by_label.label_comparison",
    "ByLabelReport": "by_label.label_report",
    "ComparisonReport": "comparisons.comparison_report",
    "LabelThresholds": "thresholds.label_thresholds",
    "LeaderboardReport": "leaderboards.leaderboard",
    "Renderer": "rendering.registry",
    "Report": "report",
    "RunReport": "runs.run_report",
    "SliceComparison": "slices.slice_comparison",
    "SliceReport": "slices.slice_report",
    "Table": "table",
    "judge_card": "judge_cards",
}

__all__ = [
    "Analysis",
    "BestThresholds",
    "ByLabelComparison",
    "ByLabelReport",
    "ComparisonReport",
    "LabelThresholds",
    "LeaderboardReport",
    "Renderer",
    "Report",
    "RunReport",
    "SliceComparison",
    "SliceReport",
    "Table",
    "judge_card",
]


def __getattr__(name: str) -> Any:  # loaded on use: `thresher --help` must not load pandas and scipy
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
