"""Human labels: drawing the items, reading the labels back, and what they say about a judge."""

from thresher.reports.labels.drawing import draw
from thresher.reports.labels.judged import LabelReport, judge_by_labels
from thresher.reports.labels.sheet import Sheet, read_sheet

__all__ = ["LabelReport", "Sheet", "draw", "judge_by_labels", "read_sheet"]
