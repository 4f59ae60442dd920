# What type checkers see of this package; written by scripts/write_components.py.

from thresher.pipelines.reporting.gate import Gate as Gate
from thresher.pipelines.reporting.leaderboard import Leaderboard as Leaderboard
from thresher.pipelines.reporting.reports import Reports as Reports
from thresher.reports.collector import EvaluationResultsCollector as EvaluationResultsCollector
