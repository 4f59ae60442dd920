"""Every error that Thresher raises on purpose.

    ThresherError
    ├── InputError (ValueError)                 data or options are unusable; names the place and the remedy
    ├── MissingDependencyError (ImportError)    an extra or a package is not installed; names it
    ├── RunDirectoryError                       a run directory is unreadable, damaged or another run's
    │   └── DamagedRunError                     a file in it is damaged or belongs to another run; names it
    ├── DiskFullError                           the disk is full; the old file stays
    ├── ComponentError                          a component of a pipeline failed; names it and the cause
    └── GateError                               a gate in a pipeline did not pass; says which requirements

    UserWarning
    ├── CoverageWarning                         a mean covers fewer items than the run contains
    ├── IncompleteWarning                       a judge stopped answering or a budget ended too early
    └── DataWarning                             data were interpreted, left out or cut; says how

Each message is one line that names the item, the field and the remedy.
"""

import re
from typing import Self

from thresher.known_secrets import without_respelled_secrets
from thresher.visible_text import visible

_LONG_WORD = re.compile(r"\S{300,}")
_LONGEST = 4000
"""Characters of a message: messages quote data, and a long value must not hide what to do about it."""


class ThresherError(Exception):
    """The root: catch this to catch everything that Thresher raises on purpose."""

    def __str__(self) -> str:
        """The message in one line, with hidden characters shown as escapes and long quotations cut."""
        line = " ".join(super().__str__().splitlines())
        return visible(_shortened(without_respelled_secrets(line)))  # a cut secret is not recognised

    def with_message(self, message: str) -> Self:
        """An error of the same class with another message, e.g. one that also names the component."""
        error = type(self).__new__(type(self), message)
        super(ThresherError, error).__init__(message)  # not the subclass's, which may take other arguments
        return error


class InputError(ThresherError, ValueError):
    """Data or options are unusable; raised before anything is computed."""


class MissingDependencyError(ThresherError, ImportError):
    """A package of an extra, or of another tool, is not installed."""

    def __init__(self, package: str, extra: str = "") -> None:
        requirement = f"'thresher[{extra}]'" if extra else package
        super().__init__(f"{package} is not installed: run `pip install {requirement}`")


class RunDirectoryError(ThresherError):
    """A run directory is unreadable, belongs to another run, or is damaged."""


class DamagedRunError(RunDirectoryError):
    """A file of a run directory is damaged, or belongs to another run; it is not used.

    Attributes:
        problem: what is wrong with the file, without its name and the remedy.
    """

    def __init__(self, message: str, problem: str = "") -> None:
        super().__init__(message)
        self.problem = problem


class DiskFullError(ThresherError):
    """A file cannot be written: the disk or a quota is full, or the file exceeds a size limit."""


class ComponentError(ThresherError):
    """A component of a pipeline failed while it ran."""


class GateError(ThresherError):
    """A gate that ends its pipeline did not pass; names the requirements that are not met."""


class CoverageWarning(UserWarning):
    """A mean covers fewer items than the run contains."""


class IncompleteWarning(UserWarning):
    """Scores are missing because a judge stopped answering or a budget ended; says how many and why."""


class DataWarning(UserWarning):
    """Data were interpreted in one of several ways, or not all are used or shown; says which and how."""


class PluginWarning(UserWarning):
    """A metric or format of another package cannot be used; names it, its package and the cause."""


def _shortened(message: str) -> str:
    """The message with long words, and a long message, cut in the middle."""
    cut = _LONG_WORD.sub(lambda word: f"{word[0][:200]}...{word[0][-60:]}", message)
    return cut if len(cut) <= _LONGEST else f"{cut[: _LONGEST // 2]} ... {cut[-_LONGEST // 4 :]}"
