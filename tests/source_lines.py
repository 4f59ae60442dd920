"""Places in source files, as messages name them."""

import inspect
from pathlib import Path


def line_of(module, text):
    """The first line of a module that contains a text: `name.py, line 12`."""
    lines = inspect.getsource(module).splitlines()
    number = next(number for number, line in enumerate(lines, 1) if text in line)
    return f"{Path(module.__file__).name}, line {number}"
