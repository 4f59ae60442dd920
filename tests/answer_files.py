"""Files of answers, and the command line as a function that returns its output."""

import json
from pathlib import Path

from thresher.cli import main

ROWS = [
    {
        "id": "a",
        "user_input": "Of what?",
        "response": "Red clay",
        "reference": "Red clay",
        "rating": 1.0,
        "cost": 3,
    },
    {"id": "b", "user_input": "When?", "response": "in 1900", "reference": "1900", "rating": None, "cost": 1},
    {"id": "c", "user_input": "Where?", "response": "there", "reference": "here", "rating": 0.25, "cost": 2},
]


def write(name, rows):
    with Path(name).open("w", encoding="utf-8") as sink:
        sink.writelines(json.dumps(row) + "\n" for row in rows)


def cli(capsys, *words, code=0):
    assert main([str(word) for word in words]) == code
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out if code == 0 else err
