"""Conversations in all layouts."""

import json
from pathlib import Path

from fuzz.inputs import changed_json
from fuzz.mutations import mutate_data
from fuzz.registry import fuzzer

GOLDEN = Path(__file__).parents[1] / "golden/judges2/message_layouts.json"


@fuzzer("conversations/read.py", "conversations/calls.py")
def conversation(folder):  # nothing is written
    from thresher.conversations import ConversationError, read_conversation
    from thresher.errors import InputError

    layouts = list(json.loads(GOLDEN.read_text())["layouts"].values())

    def action(rng):
        layout = rng.choice(layouts) if rng else layouts[0]
        entry = (
            mutate_data(rng, layout)
            if rng and rng.random() < 0.7
            else changed_json(rng, layout).decode(errors="replace")
        )

        def read():
            try:
                plain = read_conversation(entry).plain()
            except ConversationError as error:
                raise InputError(str(error)) from None
            again = read_conversation(plain).plain()
            assert again == plain, (again, plain)
            return plain

        return read

    return action
