"""The sections of the page as data for their templates."""
