"""The error of an entry that does not fit its column, raised before file and line are known."""


class UnfitError(Exception):
    """An entry is not what its column should hold."""

    def __init__(self, actual: str, expected: str) -> None:
        super().__init__(actual, expected)
        self.actual, self.expected = actual, expected
