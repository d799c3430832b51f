"""Scripts that run another explainer in a separate process; they import nothing from lormika."""
