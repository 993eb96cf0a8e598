"""Python without the modules that Windows lacks, here and in child processes: see the Makefile."""

import sys

for name in ("fcntl", "resource", "uvloop"):
    sys.modules[name] = None  # type: ignore[assignment]
