"""Sweeps: grids of policies, instances and settings, simulated one cell after the other."""

from floorline.sweeping.plan import Cell, Instance, SweepPlan, read_plan
from floorline.sweeping.run import run_sweep

__all__ = ["Cell", "Instance", "SweepPlan", "read_plan", "run_sweep"]
