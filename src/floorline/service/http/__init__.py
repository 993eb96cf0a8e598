"""Requests and responses: who is admitted, what is bounded, how errors are sent."""
