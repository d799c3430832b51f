"""Scripts that run another explainer in a process of its own; they import nothing of lormika."""
