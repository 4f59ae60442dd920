"""Leaderboards: many runs in the order of one measure, with what the items show about that order."""
