"""Only type-checked: formats of reports have the type that users get."""

from typing import Any, assert_type

import pandas as pd
from matplotlib.axes import Axes

from thresher import EvaluationResults, PairwiseReport, open_run
from thresher.reports import Analysis, ComparisonReport, RunReport, Table
from thresher.reports.gates import GateOutcome

run: EvaluationResults = open_run("runs/a")
other = open_run("runs/b")

assert_type(run.individual_aggregate_score_report(), dict[str, float])
assert_type(run.individual_aggregate_score_report("df", level=0.9), pd.DataFrame)
assert_type(run.individual_aggregate_score_report("csv"), str)
assert_type(run.individual_aggregate_score_report(output_format="markdown"), str)
assert_type(run.comparative_aggregate_score_report(other), dict[str, dict[str, float]])
assert_type(run.comparative_aggregate_score_report([other], "df", margin=0.02), pd.DataFrame)
assert_type(run.comparative_aggregate_score_report(other, "json", verdicts="always"), str)
assert_type(run.individual_detailed_score_report(["a"]), Table)
assert_type(run.individual_detailed_score_report(output_format="df"), pd.DataFrame)
assert_type(run.comparative_detailed_score_report(other, "csv"), str)
assert_type(run.individual_sliced_score_report("language"), Table)
assert_type(run.individual_sliced_score_report(["language"], "df", fewest=5), pd.DataFrame)
assert_type(run.comparative_sliced_score_report(other, "language", "markdown", bins=3), str)
assert_type(run.find_thresholds(), dict[str, list[Any]])
assert_type(run.find_thresholds(output_format="df"), pd.DataFrame)
assert_type(run.find_inputs_below_threshold("recall", 0.5), Table)
assert_type(run.find_best_thresholds("human", objective="f2"), Table)
assert_type(run.find_best_thresholds("human", output_format="json"), str)
assert_type(run.to_dataframe(), pd.DataFrame)
assert_type(run.report(cluster="document"), RunReport)
assert_type(run.compare(other, margins={"recall": 0.02}), ComparisonReport)
assert_type(run.compare(other).render("html"), str)
assert_type(run.gate(["recall>=0.8"], baseline=other), GateOutcome)
assert_type(run.plot.intervals(), Axes)
assert_type(PairwiseReport({}).win_rates("df"), pd.DataFrame)

run.individual_aggregate_score_report("csvv")  # type: ignore[call-overload]
run.individual_aggregate_score_report(margin=0.1)  # type: ignore[call-overload]
run.compare(other, verdicts="never")  # type: ignore[arg-type]
Analysis(levle=0.9)  # type: ignore[call-arg]
