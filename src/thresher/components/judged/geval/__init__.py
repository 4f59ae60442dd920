"""G-Eval: criteria, steps made from them, and a rating weighted by its probabilities."""
