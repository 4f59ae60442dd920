"""Make the notebooks of `tutorials/` from their plain twins, and run them.

    python scripts/write_tutorials.py [NAME...]

The twin (`01_first_scores.py`, Jupytext's percent format) is the source; the notebook is made from it, with
its outputs. Needs the dependency group `tutorials`.
"""

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).parent.parent / "tutorials"
LONGEST = 600
"""Seconds that a cell may take."""


def main() -> None:
    """Make those that are named, or all."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    wanted = sys.argv[1:]
    for twin in sorted(FOLDER.glob("[0-9]*.py")):
        if not wanted or any(name in twin.stem for name in wanted):
            start = time.perf_counter()
            twin.with_suffix(".ipynb").write_text(made(twin), encoding="utf-8")
            sys.stdout.write(f"{twin.stem}: {time.perf_counter() - start:.0f} s\n")


def made(twin: Path) -> str:
    """The notebook of a twin, with outputs; without what differs from run to run."""
    notebook = jupytext.read(twin)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    client = NotebookClient(notebook, timeout=LONGEST, resources={"metadata": {"path": str(FOLDER)}})
    client.execute()
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = joined(each for each in cell.outputs if each.get("name") != "stderr")
    return nbformat.writes(notebook, indent=1) + "\n"


def joined(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Outputs with printed parts that follow each other as one: how they come apart is chance."""
    kept: list[NotebookNode] = []
    for each in outputs:
        if kept and each.output_type == kept[-1].output_type == "stream" and each.name == kept[-1].name:
            kept[-1].text += each.text
        else:
            kept.append(each)
    return kept


if __name__ == "__main__":
    main()
