"""The runs of a project and the bars that its items pass, from the words of a command."""

from collections.abc import Sequence

from thresher.cli.show import remark
from thresher.errors import InputError
from thresher.pipelines.run_search import StoredRuns
from thresher.reports.evaluation_results import EvaluationResults


def stored_runs(paths: Sequence[str]) -> dict[str, EvaluationResults]:
    """Open runs and folders of runs, and say what is skipped.

    Raises:
        InputError: as `StoredRuns.of`.
    """
    stored = StoredRuns.of(paths)
    for line in stored.skipped:
        remark(f"thresher: {line}")
    return stored.named()


def bars(texts: Sequence[str]) -> dict[str, float]:
    """Read measures with numbers from METRIC=NUMBER.

    Raises:
        InputError: for another form.
    """
    limits: dict[str, float] = {}
    for text in texts:
        name, _, limit = (part.strip() for part in text.rpartition("="))
        try:
            limits[name] = float(limit)
        except ValueError:
            raise InputError(f"{text!r}: {limit!r} is not a number; write METRIC=NUMBER") from None
        if not name:
            raise InputError(f"{text!r} names no metric; write METRIC=NUMBER, as in token_f1=0.5")
    return limits
