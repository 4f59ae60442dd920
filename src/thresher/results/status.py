"""The status of an item under a metric: a score of zero, an undefined score and a failure are different."""

from enum import IntEnum


class Status(IntEnum):
    """The state of one item under one metric; its score is NaN unless `SCORED`."""

    SCORED = 0
    """The item has a score."""
    UNDEFINED = 1
    """The quantity does not exist for this item (0/0), e.g. recall without relevant documents."""
    UNREADABLE = 2
    """A judge replied, but the reply could not be parsed as a verdict."""
    FAILED = 3
    """The metric could not be computed, e.g. the judge did not answer."""
    MISSING = 4
    """The item lacks an input that the metric needs."""

    @property
    def label(self) -> str:
        """The status as a lower-case word, as files and reports show it."""
        return self.name.lower()

    @classmethod
    def from_label(cls, label: str) -> "Status":
        """The status with that label; KeyError for an unknown word."""
        return cls[label.upper()]


LOST = (Status.FAILED, Status.UNREADABLE)
"""States of an item whose score exists but is not known."""
