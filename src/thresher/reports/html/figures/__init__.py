"""Drawings as SVG, made here so that the file needs no chart library."""
