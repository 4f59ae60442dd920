"""Drop-in replacements of Haystack's judged metrics: the same inputs, definitions and outputs."""
