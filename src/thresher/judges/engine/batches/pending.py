"""An answer that a later session collects."""


class PendingAnswer(Exception):  # noqa: N818  (an outcome of an ask, not an error)
    """The answer is pending in a batch, and the session does not wait for it."""
