"""The campaigns of a data folder: opened, written in groups, watched and backed up."""
