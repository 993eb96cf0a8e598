"""Kernels and records: what every other part is made of."""
