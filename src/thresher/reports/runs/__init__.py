"""The data of one run and its report."""
