"""What a number allows to say: intervals, comparisons, slices, human labels and thresholds."""

from thresher.kernels.inference.comparison import compare
from thresher.kernels.inference.corrections import benjamini_hochberg, holm
from thresher.kernels.inference.estimate import estimate, interval
from thresher.kernels.inference.interval import DRAWS, LEVEL, SEED, Estimate, Interval
from thresher.kernels.inference.resampling import bootstrap_intervals, paired_intervals
from thresher.kernels.inference.target import Target
from thresher.kernels.inference.verdict import Comparison, Verdict, corrected

__all__ = [
    "DRAWS",
    "LEVEL",
    "SEED",
    "Comparison",
    "Estimate",
    "Interval",
    "Target",
    "Verdict",
    "benjamini_hochberg",
    "bootstrap_intervals",
    "compare",
    "corrected",
    "estimate",
    "holm",
    "interval",
    "paired_intervals",
]
