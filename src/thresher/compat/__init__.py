"""Stand-ins for other libraries: their names and numbers, computed here."""
