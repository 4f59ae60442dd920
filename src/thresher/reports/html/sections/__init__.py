"""What each section of the file shows, ready for its template."""
