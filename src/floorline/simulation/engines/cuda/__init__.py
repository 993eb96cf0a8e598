"""The GPU engine; it needs the extra [cuda], so nothing is imported here."""
