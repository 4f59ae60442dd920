"""One of several words as a reply: yes or no, A or B or a tie."""

import json
from dataclasses import dataclass

from thresher.judges.fields import TEXT, field_of, json_object, label_in, label_of, note_on, reason_of
from thresher.judges.schema import Json, JudgeVerdict, ReplySchema, refuse_objects

YES_NO = ("yes", "no")
TWO_WAYS = ("A", "B")
THREE_WAYS = ("A", "B", "tie")


@dataclass(frozen=True)
class Choice(ReplySchema[JudgeVerdict]):
    """One label and why: `{"reason": "...", "verdict": "yes"}`.

    Attributes:
        labels: the labels; estimates take the first.
    """

    labels: tuple[str, ...] = YES_NO

    def json_schema(self) -> Json:
        """A reason, then the verdict as one of the labels."""
        return json_object({"reason": TEXT, "verdict": {"type": "string", "enum": [*self.labels]}})

    def read(self, data: Json) -> JudgeVerdict:
        """The label, without regard to case and marks."""
        said = field_of(data, "verdict", "choice", "answer", "winner")
        label = label_of(said, self.labels)
        return JudgeVerdict(label, reason_of(data), note_on(said, label))

    def read_text(self, text: str) -> JudgeVerdict:
        """The one label that a plain text gives; the text is its reason."""
        refuse_objects(text)
        return JudgeVerdict(label_in(text, self.labels), text.strip())

    def imagine(self, subject: str) -> str:
        """The first label, with a reason of one sentence."""
        del subject
        reason = "The passage states this, so it can be told from it without anything else."
        return json.dumps({"reason": reason, "verdict": self.labels[0]})
