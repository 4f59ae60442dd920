"""A generator for query pipelines that replays a recording, so that examples and tests need no key."""

from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage

from thresher.judges.recorded import RecordedChatGenerator


@component
class RecordedGenerator:
    """Replays the recorded replies of a real model; it never invents one.

    ```yaml
    llm:
      type: thresher.pipelines.recorded_generator.RecordedGenerator
      init_parameters: {recording: tutorials/data/answers.json.gz}
    ```

    Args:
        recording: a file written by `thresher.judges.Recording.save`, or the name of a shipped one.

    Raises:
        InputError: at the first question, if the file does not exist or is not a recording.
        MissingRecordingError: from `run`, for messages that were not recorded.
    """

    def __init__(self, recording: str) -> None:
        self.recording = recording
        self._replies = RecordedChatGenerator(recording)

    @property
    def model(self) -> str:
        """`recorded:` and the name of the model."""
        return self._replies.model

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """Replay the reply to these messages.

        Returns:
            `replies`: a list of one ChatMessage.
        """
        return self._replies.run(messages)
