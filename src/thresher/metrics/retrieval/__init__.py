"""What metrics of rankings share."""
