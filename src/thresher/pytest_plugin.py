"""Gates within pytest. Imports nothing heavy before the first gate.

def test_answers_hold(assert_evaluation):
    assert_evaluation(open_run("runs/main"), "token_f1>=0.8", "no-regression within 0.02", baseline=...)
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
_HELP = "effect of an inconclusive requirement on the test: fail (the default), skip, warn or pass"
_configs: list[pytest.Config] = []
"""The running configuration last; pytest may run within pytest."""


class InconclusiveWarning(UserWarning):
    """A requirement is neither met nor missed beyond doubt."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the ini value for inconclusive requirements."""
    group = parser.getgroup("thresher", "evaluation results")
    group.addoption("--thresher-inconclusive", choices=CHOICES, default=None, help=_HELP)
    parser.addini(_NAME, _HELP, default=CHOICES[0])


def pytest_configure(config: pytest.Config) -> None:
    """Check the ini value, and remember where to look it up."""
    chosen = config.getini(_NAME)
    if chosen not in CHOICES:
        from thresher.results.choices import unknown_choice

        raise pytest.UsageError(str(unknown_choice(f"{_NAME}={chosen!r}", chosen, CHOICES)))
    _configs.append(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Forget the configuration."""
    if config in _configs:
        _configs.remove(config)


@pytest.fixture(name="assert_evaluation")
def _assert_evaluation() -> "Callable[..., GateOutcome]":
    """`thresher.pytest_plugin.assert_evaluation` as a fixture."""
    return assert_evaluation


def assert_evaluation(
    results: "EvaluationResults | str | os.PathLike[str]",
    *requirements: str,
    baseline: "EvaluationResults | str | os.PathLike[str] | None" = None,
    inconclusive: str | None = None,
    **options: Any,
) -> "GateOutcome":
    """Check results against requirements; the failure names the shortfall and the items to inspect.

    Args:
        results: the results, or the directory of a run.
        requirements: for example `valor_faithfulness>=0.8`.
        baseline: the results, or the directory, for `baseline` and `no-regression`.
        inconclusive: `fail`, `skip`, `warn` or `pass`; default: as configured, else `fail`.
        options: further options of `EvaluationResults.gate`, e.g. `allow_missing=0.02`.

    Returns:
        The outcome, if the test continues.

    Raises:
        AssertionError: if a requirement is not met or cannot be decided.
        InputError: for a malformed requirement, or an unknown metric, column or option.
        RunDirectoryError: for a directory that is not a run.
    """
    __tracebackhide__ = True
    from thresher.errors import InputError, ThresherError
    from thresher.reports.gates import RequirementOutcome
    from thresher.results.choices import check_choice

    policy = inconclusive or _configured()
    check_choice("inconclusive", policy, CHOICES)
    try:
        run, other = _open(results), _open(baseline)
        if run is None:
            raise InputError("there are no results to check; give results or a directory")
        outcome = run.gate(requirements, baseline=other, **options)
    except ThresherError as error:  # its message is enough; a traceback through Thresher would hide it
        raise error.with_traceback(None) from None
    if outcome.outcome is RequirementOutcome.INCONCLUSIVE and policy != "fail":
        _leave_open(outcome, policy)
    elif not outcome.passed:
        raise AssertionError(outcome.explanation())
    return outcome


def _open(results: "EvaluationResults | str | os.PathLike[str] | None") -> "EvaluationResults | None":
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
    explanation = outcome.explanation()
    if policy == "skip":
        pytest.skip(explanation)
    if policy == "warn":
        warnings.warn(InconclusiveWarning(explanation), stacklevel=3)
