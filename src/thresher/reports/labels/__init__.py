"""Human labels: draw items, read the labels, and compare them with a judge."""

from thresher.reports.labels.label_report import LabelReport, judge_by_labels
from thresher.reports.labels.sampling import draw
from thresher.reports.labels.sheet import Sheet, read_sheet

__all__ = ["LabelReport", "Sheet", "draw", "judge_by_labels", "read_sheet"]
