"""What metrics of labels share."""
