"""Language models as judges: asking them, and reading their replies."""

from thresher.judges.batch_settings import BatchSettings
from thresher.judges.drive import drive, drive_async
from thresher.judges.estimate import CostEstimate
from thresher.judges.flow import Answer, Ask, Flow, Message, Outcome, Reply, Unanswered
from thresher.judges.models import default_judge, judge_named
from thresher.judges.panels.judge_panel import JudgePanel
from thresher.judges.probe import ProbeReport, probe
from thresher.judges.prompt import Prompt, prompt
from thresher.judges.rating import JudgeRating, Rating
from thresher.judges.recorded import RecordedChatGenerator, Recording
from thresher.judges.rehearsal import rehearse
from thresher.judges.schema import JudgeVerdict, ReplySchema, Texts, Verdicts
from thresher.judges.session import asking, configure, estimating
from thresher.judges.settings import Limits, Price, Prices
from thresher.judges.steps import answered, extract, judge_each, rate
from thresher.judges.walks import together

__all__ = [
    "Answer",
    "Ask",
    "BatchSettings",
    "CostEstimate",
    "Flow",
    "JudgePanel",
    "JudgeRating",
    "JudgeVerdict",
    "Limits",
    "Message",
    "Outcome",
    "Price",
    "Prices",
    "ProbeReport",
    "Prompt",
    "Rating",
    "RecordedChatGenerator",
    "Recording",
    "Reply",
    "ReplySchema",
    "Texts",
    "Unanswered",
    "Verdicts",
    "answered",
    "asking",
    "configure",
    "default_judge",
    "drive",
    "drive_async",
    "estimating",
    "extract",
    "judge_each",
    "judge_named",
    "probe",
    "prompt",
    "rate",
    "rehearse",
    "together",
]
