"""Replies that are no JSON, for judges trained on a format of their own."""

from typing import TypeVar

from thresher.judges.schema import Json, Misfit, ReplySchema

T = TypeVar("T")


class PlainText(ReplySchema[T]):
    """A reply in plain text: no schema is sent, and the whole text is read. Subclasses have `read_text`."""

    def json_schema(self) -> Json:
        """None."""
        return {}

    def read(self, data: Json) -> T:
        """Never: the whole reply counts, not an object in it."""
        del data
        raise Misfit("it is read as plain text")
