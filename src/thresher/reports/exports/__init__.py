"""Items of a run as a data set."""
