"""`check_metric`: laws of every metric. Needs no test framework."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from thresher.errors import InputError
from thresher.judges import estimating
from thresher.plugins import described_error, top_package
from thresher.testing.laws import FIRST, LAWS
from thresher.testing.subject import Columns, Subject

__all__ = ["check_metric"]


def check_metric(
    metric: Any,
    inputs: Columns,
    *,
    changes: Mapping[str, Any] | None = None,
    together: Mapping[str, Mapping[str, Any]] | None = None,
    laws: Sequence[str] | None = None,
    raise_on_failure: bool = True,
) -> list[str]:
    """Check that reports, slices, intervals, shards, files and pipelines can rely on a metric.

    A judged metric without a `chat_generator` gets imagined replies, without a model or a key. A failure that
    would cause further failures ends the check: a metric that changes its inputs, for example, violates
    every law.

    Args:
        metric: the component, its class or a `functools.partial` of the class, which are called with options,
            or the name of a metric.
        inputs: input of `run` -> entries of at least four items; all items must get a score.
        changes: option -> another value that changes the number, and so must change the signature.
        together: option -> further options that its change needs to have an effect.
        laws: names of the laws to check; default: all.
        raise_on_failure: whether to raise instead of returning the failures.

    Returns:
        One sentence for each law that does not hold: metric, law, and what happened.

    Raises:
        AssertionError: with these sentences, if `raise_on_failure`.
        InputError: for an object that is not a metric, and for unknown inputs, options or laws.

    >>> from thresher.components import ExactMatchEvaluator
    >>> answers = {"predicted_answers": [*"abcd"], "ground_truth_answers": [*"abxy"]}
    >>> check_metric(ExactMatchEvaluator(), answers, changes={"normalization": "none"})
    []
    """
    unknown = [law for law in laws or () if law not in LAWS]
    if unknown:
        raise InputError(f"law {unknown[0]!r} is unknown; choose one of {', '.join(LAWS)}")
    subject = Subject(metric, inputs, changes or {}, together or {})
    judged = getattr(subject.metric, "chat_generator", 0) is None
    with estimating() if judged else nullcontext():
        failures = _failures(subject, [law for law in LAWS if law in (laws or LAWS)])
    if failures and raise_on_failure:
        raise AssertionError("\n".join(failures))
    return failures


def _failures(subject: Subject, laws: Sequence[str]) -> list[str]:
    """One sentence per cause: a later law that fails in the same words adds nothing."""
    causes: dict[str, str] = {}
    for law in laws:
        words = _failure(subject, law)
        if words:
            causes.setdefault(words, law)
            if law in FIRST:
                break
    return [f"{subject.name}: {law}: {words}" for words, law in causes.items()]


def _failure(subject: Subject, law: str) -> str:
    try:
        LAWS[law](subject)
    except (AssertionError, InputError) as error:
        return " ".join(str(error).split())
    except Exception as error:  # noqa: BLE001  # a law finds out what a metric does, and it may do anything
        return described_error(error, top_package(type(subject.metric).__module__))
    return ""
