"""The line from an instance to its explanation, one file for each stage."""
