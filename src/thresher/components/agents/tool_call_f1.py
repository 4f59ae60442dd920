"""F1 of the calls of tools that were made and expected."""

from thresher.metrics import ToolCallMetric, metric


@metric
class ToolCallF1Evaluator(ToolCallMetric):
    """F1 of the calls of tools that a model makes and those that are expected.

    Calls are matched one to one. Two measures: the mean over items, and the micro F1 of all items' calls
    together (`<name>_micro`).

    Formula: 2 * matched / (called + expected), with the greatest number of matched pairs; undefined without a
        call on either side
    Source: maximum bipartite matching (Kuhn 1955); equality of arguments as in JSON (RFC 8259)

    ```python
    evaluator = ToolCallF1Evaluator()
    lyon, oslo = ({"name": "weather", "args": {"city": city}} for city in ("Lyon", "Oslo"))
    conversation = [{"role": "assistant", "tool_calls": [lyon]}]
    evaluator.run(conversations=[conversation], reference_tool_calls=[[lyon, oslo]])["score"]  # 0.667
    ```
    """

    denominator = (("called", 0.5), ("expected", 0.5))
    lacking = "no call was made or expected"

    name: str = "tool_call_f1"
