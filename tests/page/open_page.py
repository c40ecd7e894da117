#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Usage: open_page.py PAGE.html [--width 1280] [--png FILE] [--dark] [--hash '#r1'] [--keys 'j Enter']

Opens a page of a program in Chromium, without a screen or a network, and prints as JSON what the page shows:
ready (ms), rows, collectives, steps, cells (the letters of each row in the document, in order), console
(messages and exceptions), scroll_width and inner_width. Exits with 77 if there is no chromium-headless-shell.
It speaks the DevTools protocol over two pipes, with the standard library alone. Tests use Browser and Page.
"""

import argparse
import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BROWSER = "chromium-headless-shell"
MISSING = 77  # exit status: skipped
DEADLINE_S = 60  # of one answer
FACTS = """(() => {
  const root = document.documentElement, data = root.dataset;
  const cells = row => [...row.querySelectorAll('.s')].map(cell => cell.textContent).join('');
  return {ready: +data.ready, rows: +data.rows, collectives: +data.collectives, steps: +data.steps,
          cells: [...document.querySelectorAll('#list .row[data-row]')].map(cells),
          scroll_width: root.scrollWidth, inner_width: innerWidth};
})()"""


class Browser:
    """A browser that `with` closes. Its pages see no network where `unshare -n` is permitted."""

    def __init__(self) -> None:
        program = shutil.which(BROWSER)
        if program is None:
            raise FileNotFoundError(f"{BROWSER} is not installed")
        self.folder = tempfile.TemporaryDirectory()
        command = [
            program,
            "--remote-debugging-pipe",
            f"--user-data-dir={self.folder.name}",
            "--disable-gpu",
            "--hide-scrollbars",
            "--no-first-run",
            "about:blank",
        ]
        if os.geteuid() == 0:
            command.insert(1, "--no-sandbox")
        if subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0:
            command = [shutil.which("unshare"), "-n", *command]
        # The browser reads commands from descriptor 3 and writes answers to 4.
        ours_in, theirs_out = (high(fd) for fd in os.pipe())
        theirs_in, ours_out = (high(fd) for fd in os.pipe())
        null = high(os.open(os.devnull, os.O_RDWR))
        copies = ((null, 0), (null, 1), (null, 2), (theirs_in, 3), (theirs_out, 4))
        self.pid = os.posix_spawn(
            command[0],
            command,
            os.environ,
            setpgroup=0,
            file_actions=[(os.POSIX_SPAWN_DUP2, *copy) for copy in copies],
        )
        for fd in (null, theirs_in, theirs_out):
            os.close(fd)
        self.input, self.output = ours_in, ours_out
        self.rest, self.last, self.events = b"", 0, []

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.output)
        os.close(self.input)
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        shutil.rmtree(self.folder.name, ignore_errors=True)
        self.folder.cleanup()

    def call(self, method: str, session: str | None = None, **parameters: object) -> dict:
        """The answer to one command. Events that come before it are kept in `events`."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters} | (
            {"sessionId": session} if session else {}
        )
        write_all(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") != self.last:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def wait_for(self, method: str, session: str) -> None:
        """Waits until an event has come, if it has not come yet."""
        while not any(e.get("method") == method and e.get("sessionId") == session for e in self.events):
            self.events.append(self.read())

    def read(self) -> dict:
        end = time.monotonic() + DEADLINE_S
        while b"\0" not in self.rest:
            if not select.select([self.input], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no answer of the browser in {DEADLINE_S} s")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise ConnectionError("the browser ended")
            self.rest += part
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def open(
        self, file: Path, width: int = 1280, height: int = 800, dark: bool = False, fragment: str = ""
    ) -> "Page":
        return Page(self, file, width, height, dark, fragment)


class Page:
    """One page that is loaded, at a width in CSS pixels."""

    def __init__(
        self, browser: Browser, file: Path, width: int, height: int, dark: bool, fragment: str
    ) -> None:
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        browser.events.clear()
        self.call("Page.navigate", url=file.resolve().as_uri() + fragment)
        browser.wait_for("Page.loadEventFired", self.session)

    def call(self, method: str, **parameters: object) -> dict:
        return self.browser.call(method, self.session, **parameters)

    def close(self) -> None:
        self.browser.call("Target.closeTarget", targetId=self.target)

    def resize(self, width: int, height: int = 800) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def run(self, script: str) -> object:
        """The value of an expression in the page, as JSON allows it."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", "an exception"))
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Presses and releases a key by its name in the DOM: "j", "Enter", "ArrowDown", "/"."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def click(self, selector: str) -> None:
        """Clicks in the middle of the first element that a CSS selector finds."""
        box = self.run(
            f"(() => {{const e = document.querySelector({json.dumps(selector)}); "
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); "
            "return [r.x + r.width / 2, r.y + r.height / 2]})()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def facts(self) -> dict:
        return self.run(FACTS) | {"console": self.console()}

    def console(self) -> list[str]:
        """Every message and exception since the page was opened."""
        found = []
        for event in self.browser.events:
            parameters = event.get("params", {})
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.consoleAPICalled":
                found.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
            elif event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif event["method"] == "Log.entryAdded":
                found.append(parameters["entry"]["text"])
        return found

    def screenshot(self, file: Path, whole: bool = False) -> None:
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(picture["data"]))

    def print(self) -> bytes:
        """The page as a PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])


def high(fd: int) -> int:
    """Moves a descriptor above the numbers that the browser uses."""
    copy = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100)
    os.close(fd)
    return copy


def write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def main() -> int:
    parser = argparse.ArgumentParser(description="Opens a page of a program and prints what it shows.")
    parser.add_argument("page", type=Path)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=800)
    parser.add_argument("--png", type=Path, help="write a picture of the page to this file")
    parser.add_argument(
        "--whole", action="store_true", help="the picture shows the whole page, not the window"
    )
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--hash", default="", help="what stands behind the address, for example #r12")
    parser.add_argument("--keys", default="", help="keys to press first, separated by spaces")
    options = parser.parse_args()
    if shutil.which(BROWSER) is None:
        print(f"skipped: {BROWSER} is not installed", file=sys.stderr)
        return MISSING
    with Browser() as browser:
        page = browser.open(options.page, options.width, options.height, options.dark, options.hash)
        for key in options.keys.split():
            page.press(key)
        if options.png:
            page.screenshot(options.png, options.whole)
        print(json.dumps(page.facts(), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
