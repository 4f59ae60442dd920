import json
from pathlib import Path

from thresher.conversations import turn_units

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden/judges2/unit_interactions_deepeval.json").read_text()
)
ROLES = {"u": "user", "a": "assistant"}


def test_units_are_those_of_deepeval_for_all_short_conversations():
    wrong = [
        case
        for case in GOLDEN["cases"]
        if turn_units([ROLES[role] for role in case["roles"]]) != case["units"]
    ]
    assert len(GOLDEN["cases"]) == 84
    assert wrong == []


def test_messages_of_tools_and_of_the_system_are_in_no_unit():
    assert turn_units(["system", "user", "assistant", "tool", "assistant"]) == [[1, 2, 4]]
