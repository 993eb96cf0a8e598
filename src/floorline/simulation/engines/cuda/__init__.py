"""The GPU engine; it needs the extra [cuda], so nothing is imported here."""

from __future__ import annotations

import os

# Streams share the queues to the GPU: 8, unless set before its first use. Launches of streams
# in the same queue wait for each other.
os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
