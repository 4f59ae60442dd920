"""Type of the option `chat_generator`: one judge, or several that vote."""

from collections.abc import Sequence

from haystack.components.generators.chat.types import ChatGenerator

from thresher.judges.panels.judge_panel import JudgePanel

Judges = ChatGenerator | JudgePanel | Sequence[ChatGenerator]
