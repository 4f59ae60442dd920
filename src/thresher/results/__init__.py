"""What a metric says: frozen, serialisable, and free of any framework."""

from thresher.results.columns import FrozenColumn
from thresher.results.measure import Direction, Measure
from thresher.results.metric_result import MetricResult
from thresher.results.recorded import recorded_result
from thresher.results.reductions import Mean, RatioOfSums, Reduction, SumReduction
from thresher.results.signature import Signature
from thresher.results.statistics import Statistics
from thresher.results.status import Status
from thresher.results.vocabulary import VOCABULARY, Socket

__all__ = [
    "VOCABULARY",
    "Direction",
    "FrozenColumn",
    "Mean",
    "Measure",
    "MetricResult",
    "RatioOfSums",
    "Reduction",
    "Signature",
    "Socket",
    "Statistics",
    "Status",
    "SumReduction",
    "recorded_result",
]
