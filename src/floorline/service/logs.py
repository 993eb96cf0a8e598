"""Logs: one JSON object per line."""

from __future__ import annotations

import json
import logging
import time

STANDARD_FIELDS = {*vars(logging.makeLogRecord({})), "message", "color_message"}
"""Fields of every log record; the others were given by the caller."""


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        extra = {key: value for key, value in vars(record).items() if key not in STANDARD_FIELDS}
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **extra,
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def log_to_stderr() -> None:
    """Send all logs to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
