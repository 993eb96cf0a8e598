"""The paper's experiments: as data, produced, drawn and held against the paper's words."""
