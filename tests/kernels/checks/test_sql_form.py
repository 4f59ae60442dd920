"""Forms of queries: the golden cases of sqlglot's trees."""

import json
from pathlib import Path

from thresher.kernels.checks.sql_form import QueryForms

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden/judges2/sql_equivalence.json").read_text(encoding="utf-8")
)


def test_the_golden_cases():
    columns = {name: table["columns"] for name, table in GOLDEN["tables"].items()}
    for case in GOLDEN["cases"]:
        for known, expected in (({}, case["same_tree"]), (columns, case["same_after_optimize"])):
            forms = QueryForms("", known)
            assert forms.of(case["first"]).equals(forms.of(case["second"])) is expected, (case, known)
