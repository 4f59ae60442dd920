"""Only type-checked: formats of reports have the type that users get."""

from typing import Any, assert_type

import pandas as pd
from haystack.core.component import Component
from matplotlib.axes import Axes

from thresher import EvaluationResults, PairwiseReport, open_run
from thresher.metrics import item_metric
from thresher.pipelines.reporting import Gate, Reports
from thresher.reports import Analysis, ComparisonReport, RunReport, Table
from thresher.reports.gates import GateOutcome


@item_metric
def brevity(predicted_answers: str, *, tolerance: int = 5) -> float:
    return len(predicted_answers.split()) <= tolerance


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
assert_type(run.individual_detailed_score_report(["a"], "df"), pd.DataFrame)
assert_type(run.individual_detailed_score_report("a", "html"), str)
assert_type(run.comparative_detailed_score_report(other, "csv"), str)
assert_type(run.individual_sliced_score_report("language"), Table)
assert_type(run.individual_sliced_score_report(["language"], "df", fewest=5), pd.DataFrame)
assert_type(run.comparative_sliced_score_report(other, "language", "markdown", bins=3), str)
assert_type(run.find_thresholds(), dict[str, list[Any]])
assert_type(run.find_thresholds(output_format="df"), pd.DataFrame)
assert_type(run.find_thresholds(["recall"], "df"), pd.DataFrame)
assert_type(run.find_thresholds(None, "csv"), str)
assert_type(run.find_inputs_below_threshold("recall", 0.5), Table)
assert_type(run.find_best_thresholds("human", objective="f2"), Table)
assert_type(run.find_best_thresholds("human", output_format="json"), str)
assert_type(run.find_best_thresholds("human", ["recall"], "df", split=1), pd.DataFrame)
assert_type(run.find_best_thresholds("human", None, "csv"), str)
assert_type(run.to_dataframe(), pd.DataFrame)
assert_type(run.report(cluster="document"), RunReport)
assert_type(run.compare(other, margins={"recall": 0.02}), ComparisonReport)
assert_type(run.compare(other).render("html"), str)
assert_type(run.gate(["recall>=0.8"], baseline=other), GateOutcome)
assert_type(run.plot.intervals(), Axes)
assert_type(PairwiseReport({}).win_rates("df"), pd.DataFrame)

assert_type(run.gate("recall>=0.8"), GateOutcome)
assert_type(brevity(tolerance=2), Component)
Gate(["recall>=0.8"], decide_by="value")

Gate(["recall>=0.8"], decide_by="valu")  # type: ignore[arg-type]
Reports(aggregates={})  # type: ignore[call-arg]
run.individual_aggregate_score_report("csvv")  # type: ignore[call-overload]
run.individual_aggregate_score_report(margin=0.1)  # type: ignore[call-overload]
run.compare(other, verdicts="never")  # type: ignore[arg-type]
Analysis(levle=0.9)  # type: ignore[call-arg]
