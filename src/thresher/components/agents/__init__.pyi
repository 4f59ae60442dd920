# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.agents.agent_counts import AgentCountsEvaluator as AgentCountsEvaluator
from thresher.components.agents.agent_tokens import AgentTokensEvaluator as AgentTokensEvaluator
from thresher.components.agents.agentevals_trajectory_match import (
    AgentevalsTrajectoryMatchEvaluator as AgentevalsTrajectoryMatchEvaluator,
)
from thresher.components.agents.deepeval_tool_correctness import (
    DeepevalToolCorrectnessEvaluator as DeepevalToolCorrectnessEvaluator,
)
from thresher.components.agents.ragas_tool_call_accuracy import (
    RagasToolCallAccuracyEvaluator as RagasToolCallAccuracyEvaluator,
)
from thresher.components.agents.ragas_tool_call_f1 import RagasToolCallF1Evaluator as RagasToolCallF1Evaluator
from thresher.components.agents.tool_call_arguments import (
    ToolCallArgumentsEvaluator as ToolCallArgumentsEvaluator,
)
from thresher.components.agents.tool_call_f1 import ToolCallF1Evaluator as ToolCallF1Evaluator
from thresher.components.agents.tool_call_order import ToolCallOrderEvaluator as ToolCallOrderEvaluator
from thresher.components.agents.tool_call_precision import (
    ToolCallPrecisionEvaluator as ToolCallPrecisionEvaluator,
)
from thresher.components.agents.tool_call_recall import ToolCallRecallEvaluator as ToolCallRecallEvaluator
