"""Pure numbers: no framework, no files, no prompts."""
