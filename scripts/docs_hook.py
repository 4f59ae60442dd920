"""MkDocs hook: generate the pages of the reference, the tutorials and the changelog."""

import base64
import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import docs_reference

TOP = Path(__file__).parent.parent
REPEATED = {
    "CHANGELOG.md": "reference/changes.md",
    "CONTRIBUTING.md": "reference/contributing.md",
    "tutorials/README.md": "tutorials/index.md",
}
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_LINK = re.compile(r"\]\(([^)#:]+\.(?:md|ipynb|py))((?:#[^)]*)?)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for path, text in docs_reference.pages().items():
        files.append(File.generated(config, path, content=text))
    for source, target in REPEATED.items():
        text = (TOP / source).read_text(encoding="utf-8")
        files.append(File.generated(config, target, content=relinked(text, source, target)))
    for pattern in ("[a-z]*.py", "data/*.yaml"):
        for linked in sorted((TOP / "tutorials").glob(pattern)):
            path = str(linked.relative_to(TOP))
            files.append(File.generated(config, path, content=linked.read_text(encoding="utf-8")))
    for notebook in sorted((TOP / "tutorials").glob("*.ipynb")):
        text, pictures = page_of(json.loads(notebook.read_text(encoding="utf-8")), notebook.stem)
        source, target = f"tutorials/{notebook.name}", f"tutorials/{notebook.stem}.md"
        files.append(File.generated(config, target, content=relinked(text, source, target)))
        for name, picture in pictures.items():
            files.append(File.generated(config, f"tutorials/{name}", content=picture))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to files outside `docs` to the pages generated from them."""
    del config, files
    uri = page.file.src_uri
    if uri in REPEATED.values() or uri.startswith(("tutorials/", "reference/")):
        return markdown  # their links were adapted when they were generated
    return relinked(markdown, f"docs/{uri}", uri)


def relinked(text: str, source: str, target: str) -> str:
    """Adapt the links of the repository's file `source` to the site's page `target`."""

    def moved(link: re.Match[str]) -> str:
        named = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[1]))
        there = posixpath.relpath(site_path(named), posixpath.dirname(target) or ".")
        return f"]({there}{link[2]})"

    return _LINK.sub(moved, text)


def site_path(path: str) -> str:
    """Path on the site of a file of the repository."""
    if path in REPEATED:
        return REPEATED[path]
    return path.removeprefix("docs/").replace(".ipynb", ".md")


def page_of(notebook: dict[str, Any], name: str) -> tuple[str, dict[str, bytes]]:
    """Convert a notebook to Markdown and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif source.strip():
            parts.append(f"```python\n{source}\n```")
            parts.extend(_shown(output, name, pictures) for output in cell["outputs"])
    return "\n\n".join(part for part in parts if part) + "\n", pictures


def _shown(output: dict[str, Any], name: str, pictures: dict[str, bytes]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        file = f"{name}-{len(pictures) + 1}.png"
        pictures[file] = base64.b64decode(data["image/png"])
        return f"![Output of the cell]({file})"
    text = "".join(output.get("text") or data.get("text/plain", ""))
    return f"```text\n{_ANSI.sub('', text).rstrip()}\n```" if text.strip() else ""
