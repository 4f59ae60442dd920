"""Share of the expected calls of tools that were made."""

from thresher.metrics import ToolCallMetric, metric


@metric
class ToolCallRecallEvaluator(ToolCallMetric):
    """Share of the expected calls of tools that a model makes.

    Calls are matched one to one. With `arguments="share"` it is the share of equal arguments, with
    `arguments="ignore"` only the tools count. Two measures: the mean over items, and all items' calls
    together (`<name>_micro`).

    Formula: matched / expected, with the greatest number of matched pairs; undefined if no call is expected
    Source: maximum bipartite matching (Kuhn 1955); equality of arguments as in JSON (RFC 8259)

    ```python
    evaluator = ToolCallRecallEvaluator()
    lyon, oslo = ({"name": "weather", "args": {"city": city}} for city in ("Lyon", "Oslo"))
    conversation = [{"role": "assistant", "tool_calls": [lyon]}]
    evaluator.run(conversations=[conversation], reference_tool_calls=[[lyon, oslo]])["score"]  # 0.5
    ```
    """

    denominator = (("expected", 1.0),)
    lacking = "no call is expected"

    name: str = "tool_call_recall"
