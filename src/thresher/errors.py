"""Every error that Thresher raises on purpose.

    ThresherError
    ├── InputError (ValueError)                 data or options that cannot be used; says where and what to do
    ├── MissingDependencyError (ImportError)    an extra is not installed; says which
    ├── RunDirectoryError                       a run directory is unreadable, foreign or damaged
    └── ComponentError                          a component of a pipeline failed; says which and why

    UserWarning
    ├── CoverageWarning                         a mean stands over fewer items than the run has
    ├── IncompleteWarning                       a judge stopped answering or a budget ended too early
    └── DataWarning                             data were read or shown in a way that may not be meant

Each message is one line that names the item, the field and the remedy.
"""

from typing import Self


class ThresherError(Exception):
    """The root: catch this to catch everything that Thresher raises on purpose."""

    def saying(self, text: str) -> Self:
        """An error of the same kind with another text, e.g. one that also names the component."""
        told = type(self).__new__(type(self), text)
        super(ThresherError, told).__init__(text)
        return told


class InputError(ThresherError, ValueError):
    """Data or options that cannot be used, found before anything is computed."""


class MissingDependencyError(ThresherError, ImportError):
    """A package of an extra is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: run `pip install 'thresher[{extra}]'`")


class RunDirectoryError(ThresherError):
    """A run directory is unreadable, belongs to another run, or is damaged."""


class ComponentError(ThresherError):
    """A component of a pipeline failed while it ran."""


class CoverageWarning(UserWarning):
    """A mean stands over fewer items than the run has."""


class IncompleteWarning(UserWarning):
    """Results lack scores because a judge stopped answering or a budget ended; says how many and why."""


class DataWarning(UserWarning):
    """Data were read in one of two possible ways, or are not all used or shown; says which and how."""
