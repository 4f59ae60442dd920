"""Components that report inside a pipeline: connect `collector.results` to their input `results`.

Their outputs are the reports that the command line prints. They are loaded from YAML by the paths of this
package, e.g. `thresher.pipelines.reporting.Gate`.
"""

from thresher.components._short_paths import register
from thresher.lazy import lazy_exports

EXPORTS = {
    "EvaluationResultsCollector": "thresher.reports.collector",
    "Gate": "thresher.pipelines.reporting.gate",
    "Leaderboard": "thresher.pipelines.reporting.leaderboard",
    "Reports": "thresher.pipelines.reporting.reports",
}

__getattr__, __dir__, __all__ = lazy_exports(__name__, EXPORTS)

register(__name__, EXPORTS, roots=("thresher.pipelines.reporting", "thresher.reports"))
