"""Reports of runs side by side."""
