"""Figures with matplotlib (the extra `plot`), as `results.plot`."""

from thresher.reports.plots.plots import Plots

__all__ = ["Plots"]
