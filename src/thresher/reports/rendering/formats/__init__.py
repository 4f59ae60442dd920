"""One file per format, each with a `RENDERER`; `thresher.reports.rendering.registry` finds them."""
