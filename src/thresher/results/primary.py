"""Primary measures: those that a comparison of runs tests. Others are listed without a verdict."""

from collections.abc import Collection, Sequence

from thresher.errors import InputError
from thresher.results.metric_result import MetricResult
from thresher.results.short_names import known_name
from thresher.results.suggestions import suggest


def check_primary(primary: object, measures: Collection[str] | None = None) -> None:
    """Raise unless `primary` is None or a list of at least one name.

    Args:
        primary: the user's value.
        measures: the names to choose from; None if they are not known yet.

    Raises:
        InputError: for a single name instead of a list, an empty list, entries that are not strings, and a
            name that is not among the measures.
    """
    if primary is None:
        return
    if isinstance(primary, str):
        raise InputError(f"primary={primary!r} is one name; give a list of names: [{primary!r}]")
    names = list(primary) if isinstance(primary, Collection) else []
    if not names or not all(isinstance(name, str) and name for name in names):
        raise InputError(f"primary={primary!r} must be a list of one or more names of measures")
    known = names if measures is None else measures
    unknown = [name for name in names if known_name(name, known) not in known]
    if unknown:
        near, listed = suggest(unknown[0], known), ", ".join(known) or "none"
        raise InputError(f"primary: no measure {unknown[0]!r} here{near}; there are {listed}")


def choose_primary(results: Sequence[MetricResult], primary: Collection[str] | None) -> list[MetricResult]:
    """Make exactly the named measures primary; None keeps what each metric declares.

    Raises:
        InputError: for a name that no result has; lists the known names.
    """
    if primary is None:
        return list(results)
    known = [measure.name for result in results for measure in result.measures]
    check_primary(primary, known)
    names = [known_name(name, known) for name in primary]
    return [result.with_primary(names) for result in results]
