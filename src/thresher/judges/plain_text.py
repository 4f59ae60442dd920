"""Plain-text replies, for judges trained on a custom format."""

from typing import ClassVar, TypeVar

from thresher.judges.reply_schema import PanelUse
from thresher.judges.schema import Json, Misfit, ReplySchema

T = TypeVar("T")


class PlainText(ReplySchema[T]):
    """Reply in plain text, without a schema. Subclasses implement `read_text`, which reads the whole text."""

    panel_use: ClassVar[PanelUse] = "votes"

    def json_schema(self) -> Json:
        """Return an empty schema."""
        return {}

    def read(self, data: Json) -> T:
        """Raise `Misfit`: objects in the reply are not read."""
        del data
        raise Misfit("it is read as plain text")
