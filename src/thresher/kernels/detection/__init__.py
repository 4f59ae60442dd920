"""Comparing predicted objects with true ones: geometry, matching, and what follows from the matches."""
