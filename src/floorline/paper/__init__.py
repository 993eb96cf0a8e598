"""The paper's experiments: their settings, results, figures, and a check of its claims."""
