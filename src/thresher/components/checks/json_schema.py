"""Whether an answer is JSON that matches a schema."""

from collections.abc import Callable, Mapping
from typing import Any

from thresher.components._rows import Failed, Row, row_outputs
from thresher.kernels.checks.conditions import UndecidedError
from thresher.kernels.checks.json_schema import schema_check
from thresher.kernels.checks.strict_json import Extract, InvalidJsonError, read_json
from thresher.metrics import TextColumn, metric, read_inputs


@metric
class JsonSchemaEvaluator:
    """1 if the answer is valid JSON that matches a schema, else 0, with the path of the first mismatch.

    An answer that is not valid JSON (as in `json_valid`) scores 0.

    Formula: 1 for a JSON text whose value matches the schema, else 0
    Source: JSON Schema, draft 2020-12 (or the draft that `$schema` names); computed by jsonschema

    Args:
        schema: the JSON Schema. Its references must be within it; nothing is loaded from the network. An item
            fails whose patterns take longer than 1 s, or that takes more than 500,000 steps.

    ```python
    evaluator = JsonSchemaEvaluator(schema={"type": "object", "required": ["name"]})
    evaluator.run(predicted_answers=['{"name": "Ada"}', '{"age": 36}'])["score"]  # 0.5
    ```
    """

    schema: Mapping[str, Any]
    extract: Extract = "whole"
    name: str = "json_schema"
    reads_json = True  # so that answers that are all JSON objects are not refused

    def __post_init__(self) -> None:
        schema_check(self.schema)

    def run(self, predicted_answers: TextColumn) -> dict[str, Any]:
        """Check each answer."""
        items, entries = read_inputs(predicted_answers=predicted_answers)
        check = schema_check(self.schema)  # not an attribute: components are copied to other processes
        rows = [_row(text, self.extract, check) for (text,) in entries]
        return row_outputs(self, items, rows, ())


def _row(text: str, extract: Extract, check: Callable[[Any], str]) -> Row | Failed:
    try:
        problem = check(read_json(text, extract))
    except InvalidJsonError as unreadable:
        problem = str(unreadable)
    except UndecidedError as error:
        return Failed(str(error))
    except RecursionError:
        return Failed("the answer is nested too deeply for the schema")
    return Row(float(not problem), {}, {"problem": problem} if problem else {})
