"""Makes the screenshots of these pages from `floorline demo` itself, in Debian's Chromium.

Run it as `python docs/figures/screenshots.py`. It takes as long as the demo.
"""

import os
import pty
import re
import signal
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
PAGES = {
    "dashboard.png": ("{url}/campaigns/landing-page", 1280, 900, "light"),
    "dashboard-phone.png": ("{url}/campaigns/landing-page", 390, 844, "dark"),
    "dashboard-randomised.png": ("{url}/campaigns/randomised-floor", 1280, 1800, "light"),
    "report.png": ("{report}", 1000, 1250, "light"),
}


def main() -> None:
    """Play the demo in a terminal, and look at its pages while it stays up."""
    with tempfile.TemporaryDirectory() as out:
        demo, terminal = pty.fork()
        if demo == 0:
            os.environ.pop("CI", None)
            os.execv(sys.executable, [sys.executable, "-m", "floorline", "demo", "--out", out])
        said = ""
        while "stays up" not in said:
            said += os.read(terminal, 4096).decode(errors="replace")
        print(said)
        addresses = {
            "url": re.findall(r"Dashboard: (\S+)/", said)[0],
            "report": (Path(out) / "demo-report.html").as_uri(),
        }
        take(addresses)
        os.kill(demo, signal.SIGINT)
        os.waitpid(demo, 0)


def take(addresses: dict[str, str]) -> None:
    """Take all screenshots."""
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        for name, (address, width, height, scheme) in PAGES.items():
            size = {"width": width, "height": height}
            page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
            page.goto(address.format(**addresses))
            page.wait_for_timeout(3000)  # the first live update
            page.screenshot(path=HERE / name)
        browser.close()


if __name__ == "__main__":
    main()
