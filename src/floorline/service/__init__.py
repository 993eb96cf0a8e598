"""The decision service: live campaigns over HTTP."""
