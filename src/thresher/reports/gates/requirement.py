"""A requirement: a quantity and the threshold that it has to reach."""

from dataclasses import dataclass

from thresher.errors import InputError
from thresher.reports.gates.grammar import EXAMPLES, RequirementReader, Threshold
from thresher.reports.gates.quantities.base import KINDS, Quantity
from thresher.reports.gates.quantities.value import MetricValue


@dataclass(frozen=True)
class Requirement:
    """One requirement, as `parse` reads it.

    Attributes:
        text: the requirement as it was written.
        quantity: the quantity that is compared.
        threshold: the threshold; see `Quantity.threshold_for` for that of one metric.
    """

    text: str
    quantity: Quantity
    threshold: Threshold


def parse(text: str) -> Requirement:
    """Read one requirement; the grammar is in `thresher.reports.gates.grammar`.

    Raises:
        InputError: if it cannot be read; the message says what was expected where.

    >>> parse("faithfulness[language=de] >= 70%").threshold
    Threshold(operator='>=', number=0.7, baseline=False)
    >>> parse("no-regression within 0.02").threshold
    Threshold(operator='>=', number=-0.02, baseline=True)
    """
    if not isinstance(text, str):
        raise InputError(f"requirement {text!r} is not a string; write e.g. {EXAMPLES}")
    reader = RequirementReader(text)
    kind = next((kind for kind in KINDS if kind.begins(reader.rest)), MetricValue)
    quantity = kind.parse(reader)
    threshold = quantity.parse_threshold(reader)
    reader.expect_end()
    return Requirement(reader.text, quantity, threshold)
