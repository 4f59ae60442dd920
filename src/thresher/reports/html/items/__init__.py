"""The items that the file holds: which ones, and how they are packed."""
