"""Pages that the documentation gets when it is built: reference, tutorials, changes."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import docs_reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

TOP = Path(__file__).parent.parent
REPEATED = {"CHANGELOG.md": "reference/changes.md", "CONTRIBUTING.md": "reference/contributing.md"}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    for path, text in {**docs_reference.pages(), **repeated()}.items():
        files.append(File.generated(config, path, content=text))
    for notebook in sorted((TOP / "tutorials").glob("*.ipynb")):
        text, pictures = page_of(json.loads(notebook.read_text(encoding="utf-8")), notebook.stem)
        files.append(File.generated(config, f"tutorials/{notebook.stem}.md", content=text))
        for name, picture in pictures.items():
            files.append(File.generated(config, f"tutorials/{name}", content=picture))
    return files


def repeated() -> dict[str, str]:
    """Pages at the top of the repository, with their links as seen from where they are repeated."""
    return {
        target: (TOP / source).read_text(encoding="utf-8").replace("](docs/", "](../")
        for source, target in REPEATED.items()
    }


def page_of(notebook: dict[str, Any], name: str) -> tuple[str, dict[str, bytes]]:
    """A notebook as Markdown, and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source.replace(".ipynb)", ".md)"))
        elif source.strip():
            parts.append(f"```python\n{source}\n```")
            parts.extend(_shown(output, name, pictures) for output in cell["outputs"])
    return "\n\n".join(part for part in parts if part) + "\n", pictures


def _shown(output: dict[str, Any], name: str, pictures: dict[str, bytes]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        file = f"{name}-{len(pictures) + 1}.png"
        pictures[file] = base64.b64decode(data["image/png"])
        return f"![The picture that this makes]({file})"
    text = "".join(output.get("text") or data.get("text/plain", ""))
    return f"```text\n{_ANSI.sub('', text).rstrip()}\n```" if text.strip() else ""
