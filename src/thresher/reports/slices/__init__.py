"""Reports on slices: parts of the items."""
