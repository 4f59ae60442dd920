"""The README and docs/metrics.md say what the components say."""

import runpy
from pathlib import Path

TOP = Path(__file__).parents[2]


def test_the_catalogue_is_made_from_the_components():
    script = TOP / "scripts" / "write_catalogue.py"
    page = (TOP / "docs" / "metrics.md").read_text(encoding="utf-8")
    made = runpy.run_path(str(script))
    assert page == made["text"](), "run python scripts/write_catalogue.py"
    assert (TOP / "README.md").read_text(encoding="utf-8") == made["readme"]()
