"""Renderers of reports, one per output format."""
