"""A case as a live view needs it, a page or a notebook's widget: features to be changed, and answers as plain data."""
