"""The version of the package, and the modules whose components files may name."""

__version__ = "0.1.0"
COMPONENT_MODULES = (
    "thresher.components",
    "thresher.pipelines.reporting",
    "thresher.pipelines.recorded_generator",
    "thresher.reports.collector",
    "thresher.judges.panels.judge_panel",
    "thresher.judges.recorded",
    "thresher.judges.local",
    "thresher.results",
    "thresher.reports.evaluation_results",
    "thresher.kernels.detection.matches",
)
"""Modules of components, and of what they pass on: Haystack loads classes of these alone from a file."""
