"""Reply form with one of several labels: yes or no, A or B or a tie."""

import json
from dataclasses import dataclass
from typing import ClassVar

from thresher.judges.fields import TEXT, field_of, json_object, label_in, label_of, note_on, reason_of
from thresher.judges.reply_schema import PanelUse
from thresher.judges.schema import Json, JudgeVerdict, ReplySchema, refuse_objects

YES_NO = ("yes", "no")
TWO_WAYS = ("A", "B")
THREE_WAYS = ("A", "B", "tie")


@dataclass(frozen=True)
class Choice(ReplySchema[JudgeVerdict]):
    """One label and a reason: `{"reason": "...", "verdict": "yes"}`.

    Attributes:
        labels: the labels; estimates assume the first.
    """

    panel_use: ClassVar[PanelUse] = "votes"
    labels: tuple[str, ...] = YES_NO

    def json_schema(self) -> Json:
        """A reason, then the verdict as one of the labels."""
        return json_object({"reason": TEXT, "verdict": {"type": "string", "enum": [*self.labels]}})

    def read(self, data: Json) -> JudgeVerdict:
        """The label, ignoring case and punctuation."""
        word = field_of(data, "verdict", "choice", "answer", "winner")
        label = label_of(word, self.labels)
        return JudgeVerdict(label, reason_of(data), note_on(word, label))

    def read_text(self, text: str) -> JudgeVerdict:
        """The only label in a plain text, with the text as reason."""
        refuse_objects(text)
        return JudgeVerdict(label_in(text, self.labels), text.strip())

    def imagine(self, subject: str) -> str:  # noqa: ARG002
        """The first label, with a reason of one sentence."""
        reason = "The passage states this, so it can be told from it without anything else."
        return json.dumps({"reason": reason, "verdict": self.labels[0]})
