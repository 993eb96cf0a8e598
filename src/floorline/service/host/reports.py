"""Reports of campaigns, made in a child process."""

from __future__ import annotations

from floorline.report import facts_of, page_of
from floorline.service.host.child_process import become_child, output_of, write_output


async def report_in_child(locator: str, name: str, now: float) -> bytes:
    """Return the report of a campaign at this time, as a page in UTF-8.

    Raises:
        ChildError: it could not be made.
    """
    return await output_of(__name__, locator, name, repr(now))


def main() -> None:
    """Write the report that the arguments ask for to standard output."""
    locator, name, now = become_child()
    write_output(page_of(facts_of(locator, name, float(now))).encode())


if __name__ == "__main__":
    main()
