"""JudgeLM: two answers scored side by side, in the reply format of its models or in plain JSON."""
