"""Scripts that run another explainer in a separate process; while they run, they import nothing from lormika."""
