"""Scripts that run another explainer in a process of its own; while they run, they import nothing of lormika."""
