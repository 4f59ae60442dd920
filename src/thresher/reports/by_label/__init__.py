"""Values and differences label by label, of measures that are means over labels."""
