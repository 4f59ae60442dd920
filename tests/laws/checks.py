"""Cases of the checks without a judge."""

from typing import Any

ANSWERS = {
    "predicted_answers": [
        '{"a": 1}',
        "```\n[1, 2]\n```",
        "I can't help with it. Debo rechazar.",
        "Ok [1]",
    ]
}
CITING = {
    "predicted_answers": [
        "Blue [1]. Red.",
        "Wet [0]. Dry [2].",
        "Old. [1][2] New [9].",
        "Big [1, 3], [0].",
    ],
    "contexts": [["a"], ["b", "c"], ["d", "e"], ["f"]],
}
_TABLE = "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)"
CHECKS: dict[str, dict[str, Any]] = {
    "citation_precision": {"inputs": CITING, "changes": {"first_number": 0}},
    "citation_recall": {"inputs": CITING, "changes": {"first_number": 0}},
    "json_schema": {
        "inputs": ANSWERS,
        "required": {"schema": {"type": "object"}},
        "changes": {"schema": {"type": "array"}, "extract": "first"},
    },
    "json_valid": {"inputs": ANSWERS, "changes": {"extract": "fence"}},
    "language_match": {
        "inputs": {
            "predicted_answers": [
                "It leaves at nine, from the first platform.",
                "Er fährt um neun Uhr vom ersten Gleis.",
                "It leaves at nine, from the second platform.",
                "It leaves at nine, from the third platform.",
            ],
            "questions": ["Wann fährt der Zug nach Bern ab?"] * 3 + ["When does the train leave?"],
        },
        "changes": {"language": "en"},
    },
    "refusal": {"inputs": ANSWERS, "changes": {"languages": ["fr"], "phrases": ["ok"]}},
    "sql_form": {
        "inputs": {
            "predicted_answers": ["SELECT a FROM t", "SELECT 1", "SELECT b FROM u", "select x.a from t x"],
            "ground_truth_answers": ["SELECT a FROM t", "SELECT 2", "SELECT a FROM t", "SELECT a FROM t x"],
        },
        "changes": {"dialect": "postgres", "columns": {"t": ["a"]}},
    },
    "sql_rows": {
        "inputs": {
            "predicted_answers": ["SELECT a FROM t", "SELECT 1", "SELECT", "SELECT COUNT(a) FROM t"],
            "ground_truth_answers": ["SELECT a FROM t", "SELECT 2", "SELECT 3", "SELECT 2"],
        },
        "required": {"tables": [_TABLE]},
        "changes": {"tables": [_TABLE, f"{_TABLE}, (NULL), (3)"]},
    },
    "text_conditions": {
        "inputs": ANSWERS | {"conditions": [{"contains_any": ["a", "OK"]}] * 4},
        "changes": {
            "contains_all": ["ok"],
            "contains_none": ["can"],
            "contains_any": ["can"],
            "starts_with": ["O"],
            "ends_with": ["```"],
            "equals": ["[1]"],
            "matches": ["[0-9]"],
            "lowercase": True,
            "unicode_form": "nfc",
        },
    },
    "text_length": {"inputs": ANSWERS, "changes": {"unit": "words", "minimum": 10, "maximum": 12}},
}
