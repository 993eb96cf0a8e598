"""The loops over the rounds of a run, one for each kind of environment."""
