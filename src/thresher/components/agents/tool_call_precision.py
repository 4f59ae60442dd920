"""Share of the calls of tools that were expected."""

from thresher.metrics import ToolCallMetric, metric


@metric
class ToolCallPrecisionEvaluator(ToolCallMetric):
    """Share of the calls of tools that a model makes that were expected.

    Calls are matched one to one, so that a call that is repeated needs an expectation for each time. Two
    measures: the mean over items, and all items' calls together (`<name>_micro`).

    Formula: matched / called, with the greatest number of matched pairs; undefined without a call
    Source: maximum bipartite matching (Kuhn 1955); equality of arguments as in JSON (RFC 8259)

    ```python
    evaluator = ToolCallPrecisionEvaluator()
    lyon, oslo = ({"name": "weather", "args": {"city": city}} for city in ("Lyon", "Oslo"))
    conversation = [{"role": "assistant", "tool_calls": [lyon]}]
    evaluator.run(conversations=[conversation], reference_tool_calls=[[lyon, oslo]])["score"]  # 1.0
    ```
    """

    denominator = (("called", 1.0),)
    lacking = "no call was made"

    name: str = "tool_call_precision"
