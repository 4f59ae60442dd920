"""What comparisons of two answers share."""
