"""What every retrieval metric does around its kernel."""

import inspect
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from thresher.errors import InputError
from thresher.kernels.retrieval.order import TIE_RULES
from thresher.kernels.retrieval.ranked_gains import Floats, RankedGains
from thresher.metrics.items import Items, outputs, settings
from thresher.metrics.options import check_choice, check_top_k
from thresher.metrics.retrieval.ranking import Matching
from thresher.metrics.retrieval.sharing import shared_rank
from thresher.results import Measure, Signature, Status

NO_RELEVANT = ("undefined", "zero")


def check_options(component: Any) -> None:
    """Refuse values of the options that all retrieval metrics have.

    Raises:
        InputError: names the option, its value and what it may be.
    """
    check_top_k(component.top_k)
    check_field("document_comparison_field", component.document_comparison_field, ("content", "id"))
    if component.document_grade_field is not None:
        check_field("document_grade_field", component.document_grade_field, ("score",))
    check_choice("ties", component.ties, TIE_RULES)
    check_choice("no_relevant", component.no_relevant, NO_RELEVANT)


def check_field(option: str, field: object, fields: tuple[str, ...]) -> None:
    """Refuse what is neither one of the fields nor `meta.<key>`."""
    if field in fields or (isinstance(field, str) and field.startswith("meta.") and field != "meta."):
        return
    raise InputError(f"{option}={field!r} is unknown; choose {', '.join(fields)} or meta.<key>")


def check_min_grade(min_grade: object) -> None:
    """Refuse a grade from which on documents are relevant that is no number above 0."""
    if min_grade is not None and (isinstance(min_grade, bool) or not isinstance(min_grade, int | float)):
        raise InputError(f"min_grade={min_grade!r} must be a number above 0, or None for any above 0")
    if isinstance(min_grade, int | float) and not 0 < min_grade < float("inf"):
        raise InputError(f"min_grade={min_grade!r} must be above 0: a grade of 0 or below is not relevant")


def check_beta(beta: object) -> None:
    """Refuse a weight of recall that is no number above 0."""
    if isinstance(beta, bool) or not isinstance(beta, int | float) or not 0 < beta < float("inf"):
        raise InputError(f"beta={beta!r} must be a number above 0; 1 weighs precision and recall alike")


def evaluate(
    component: Any,
    retrieved_documents: Collection[Any],
    ground_truth_documents: Collection[Any],
    metric: Callable[[RankedGains], Floats],
) -> dict[str, Any]:
    """Match, score with the kernel and put the outputs together.

    Args:
        component: the metric; its options decide how documents are matched.
        retrieved_documents: the socket of that name.
        ground_truth_documents: the socket of that name.
        metric: one value per query, NaN where the query has no relevant document.
    """
    items = Items(retrieved_documents=retrieved_documents, ground_truth_documents=ground_truth_documents)
    matching = Matching(component.document_comparison_field, component.document_grade_field, component.ties)
    ranking = shared_rank(retrieved_documents, ground_truth_documents, matching)
    for item in ranking.incomparable:
        items.leave_out(item, Status.MISSING, f"no relevant document has {matching.field}")
    scores = metric(ranking.gains)
    if component.no_relevant == "zero":
        scores = np.nan_to_num(scores)
    for item in np.flatnonzero(np.isnan(scores)).tolist():
        items.leave_out(item, Status.UNDEFINED, "no document is relevant")
    for item in np.flatnonzero(ranking.gains.retrieved == 0).tolist():
        items.reasons.setdefault(item, "nothing was retrieved")
    measure = Measure(Signature.of(_measure_name(component), settings(component)))
    return outputs(items.result([measure], {"score": scores[items.present]}))


def _measure_name(component: Any) -> str:
    """The metric's own name tells the cutoff; a name of the user's stays as it is."""
    default = inspect.signature(type(component).__init__).parameters["name"].default
    if component.top_k is None or component.name != default:
        return str(component.name)
    return f"{component.name}@{component.top_k}"
