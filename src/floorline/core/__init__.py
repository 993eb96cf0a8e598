"""Kernels, slots and records, on which every other part is built."""
