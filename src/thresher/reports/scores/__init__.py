"""Item scores of long runs, block by block, sorted and ranked in memory that does not grow with the items."""
