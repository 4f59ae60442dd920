"""The items in the file: their selection and packing."""
