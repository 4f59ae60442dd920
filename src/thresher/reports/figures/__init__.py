"""Figures as data: axes and marks. `results.plot` (matplotlib) and the HTML page (SVG) both draw them."""
