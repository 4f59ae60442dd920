"""What a metric component needs: items, options, judging, results."""
