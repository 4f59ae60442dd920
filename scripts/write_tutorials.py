"""Write the notebooks of `tutorials/` from their Python twins, and run them.

    python scripts/write_tutorials.py [NAME...]

The twin (`01_first_scores.py`, Jupytext's percent format) is the source; the notebook adds
the outputs. Needs the dependency group `tutorials`.
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
"""Time limit of a cell, in seconds."""


def main() -> None:
    """Write the named notebooks; default: all."""
    os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
    names = sys.argv[1:]
    for twin in sorted(FOLDER.glob("[0-9]*.py")):
        if not names or any(name in twin.stem for name in names):
            start = time.perf_counter()
            twin.with_suffix(".ipynb").write_text(executed_notebook(twin), encoding="utf-8")
            sys.stdout.write(f"{twin.stem}: {time.perf_counter() - start:.0f} s\n")


def executed_notebook(twin: Path) -> str:
    """Run a twin and return its notebook, without ids and metadata that differ from run to run."""
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
            cell.outputs = joined(output for output in cell.outputs if output.get("name") != "stderr")
    return nbformat.writes(notebook, indent=1) + "\n"


def joined(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Join successive printed outputs: where the kernel splits them differs from run to run."""
    blocks: list[NotebookNode] = []
    for output in outputs:
        last = blocks[-1] if blocks else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            blocks.append(output)
    return blocks


if __name__ == "__main__":
    main()
