"""An entry that does not fit its column, before file and line are known."""


class UnfitError(Exception):
    """An entry is not what its column should hold; says what was found and what is wanted."""

    def __init__(self, found: str, wanted: str) -> None:
        super().__init__(found, wanted)
        self.found, self.wanted = found, wanted
