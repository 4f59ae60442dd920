"""The back end for SVG: draws any figure for the HTML page."""
