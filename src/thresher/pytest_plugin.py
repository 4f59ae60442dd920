"""Gates within pytest. Inert until used, and nothing heavy is imported before a gate is asked.

def test_answers_hold(assert_evaluation):
    assert_evaluation(open_run("runs/main"), "faithfulness>=0.8", "no-regression within 0.02", baseline=...)
"""

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from thresher.reports.evaluation_results import EvaluationResults
    from thresher.reports.gates import GateOutcome

CHOICES = ("fail", "skip", "warn", "pass")
_NAME = "thresher_inconclusive"
_HELP = "what an inconclusive requirement does to the test: fail (the default), skip, warn or pass"
_configs: list[pytest.Config] = []
"""The running configuration last; pytest may run within pytest."""


class InconclusiveWarning(UserWarning):
    """A requirement could be neither shown nor refuted."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the ini value about what is inconclusive."""
    group = parser.getgroup("thresher", "evaluation results")
    group.addoption("--thresher-inconclusive", choices=CHOICES, default=None, help=_HELP)
    parser.addini(_NAME, _HELP, default=CHOICES[0])


def pytest_configure(config: pytest.Config) -> None:
    """Check the ini value, and remember where to look it up."""
    chosen = config.getini(_NAME)
    if chosen not in CHOICES:
        raise pytest.UsageError(f"{_NAME}={chosen!r} is unknown; choose one of {', '.join(CHOICES)}")
    _configs.append(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Forget the configuration."""
    if config in _configs:
        _configs.remove(config)


@pytest.fixture(name="assert_evaluation")
def _assert_evaluation() -> "Callable[..., GateOutcome]":
    """`thresher.pytest_plugin.assert_evaluation`, for tests that rather ask for it than import it."""
    return assert_evaluation


def assert_evaluation(
    results: "EvaluationResults | str | os.PathLike[str]",
    *requirements: str,
    baseline: "EvaluationResults | str | os.PathLike[str] | None" = None,
    inconclusive: str | None = None,
    **options: Any,
) -> "GateOutcome":
    """Hold results against requirements, and fail with what is wrong and which items to look at.

    Args:
        results: the results, or the directory of a run.
        requirements: what they have to reach, e.g. `faithfulness>=0.8`.
        baseline: the results, or the directory, that `baseline` and `no-regression` mean.
        inconclusive: `fail`, `skip`, `warn` or `pass`; as configured without, else `fail`.
        options: further options of `EvaluationResults.gate`, e.g. `allow_missing=0.02`.

    Returns:
        The outcome, if the test goes on.

    Raises:
        AssertionError: if a requirement is not met or cannot be decided.
        InputError: for a requirement that cannot be read, or an unknown metric, column or option.
        RunDirectoryError: for a directory that is no run.
    """
    __tracebackhide__ = True
    from thresher.errors import InputError, ThresherError
    from thresher.reports.gates.decision import Outcome

    policy = inconclusive or _configured()
    if policy not in CHOICES:
        raise InputError(f"inconclusive={policy!r} is unknown; choose one of {', '.join(CHOICES)}")
    try:
        run, other = (_opened(each) for each in (results, baseline))
        if run is None:
            raise InputError("there are no results to hold against requirements; give results or a directory")
        outcome = run.gate(requirements, baseline=other, **options)
    except ThresherError as error:  # its one line says what is wrong; where it was found out says nothing
        raise error.with_traceback(None) from None
    if outcome.outcome is Outcome.INCONCLUSIVE and policy != "fail":
        _leave_open(outcome, policy)
    elif not outcome.passed:
        raise AssertionError(outcome.explanation())
    return outcome


def _opened(results: "EvaluationResults | str | os.PathLike[str] | None") -> "EvaluationResults | None":
    if not isinstance(results, str | os.PathLike):
        return results
    from thresher import open_run

    return open_run(os.fspath(results))


def _configured() -> str:
    if not _configs:
        return CHOICES[0]
    config = _configs[-1]
    return str(config.getoption("--thresher-inconclusive") or config.getini(_NAME))


def _leave_open(outcome: "GateOutcome", policy: str) -> None:
    __tracebackhide__ = True
    told = outcome.explanation()
    if policy == "skip":
        pytest.skip(told)
    if policy == "warn":
        warnings.warn(InconclusiveWarning(told), stacklevel=3)
