# SPDX-License-Identifier: Apache-2.0
"""Collectives of ours, the copy of the bytes that they must move, JAX and Open MPI, block by block in one run.

A point is one collective at one size. Its programs are ready side by side; a round times a block of each in turn, the
next round in the opposite order. A record has the median over the rounds, and of ratios the median and the range of those
taken in one round.
"""

import itertools
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from shutil import which

OURS = Path("build/release/bin/bench_collectives")
MPI = Path("build/release/bin/bench_collectives_mpi")
PYTHON = Path(".venv/bin/python")
NAMES = ("psum", "psum_link", "all_gather_i", "all_gather_v", "psum_scatter", "all_to_all", "ppermute", "pbroadcast")
NEAR_NS = 100  # a barrier takes 45 to 75 ns of two workers that share a cache, 165 and more of others
SMALL = 1 << 20  # bytes
EXTRA_ROUNDS = 2  # instead of those that were not near
SECONDS_TO_ANSWER = 120
RESULTS = Path("build/bench")


@dataclass(frozen=True)
class Point:
    name: str
    devices: int
    bytes: int  # S, the larger of a device's operand and result
    dtype: str
    chain: int  # links in one program

    def request(self, chain: int) -> str:
        return f"prepare {self.name} {self.devices} {self.dtype} {self.bytes} {chain}"

    def peers_chain(self) -> int:
        return max(self.chain, 1 if self.bytes <= SMALL else 2)


def links(name: str, size: int) -> int:
    """Of large ones a call each: it costs nothing beside them. (A peer gets two, for its results lie in fresh memory.) An
    update in place needs a place of its own first."""
    return 100 if size <= SMALL else 4 if name == "psum_link" else 1


def points(names, devices, sizes, dtypes) -> list[Point]:
    """All of them; and before its chain one call of a program that is one psum of 32 bytes."""
    chosen = []
    for dtype, n, size, name in itertools.product(dtypes, devices, sizes, names):
        if (name, size) == ("psum", 32):
            chosen.append(Point(name, n, size, dtype, 1))
        chosen.append(Point(name, n, size, dtype, links(name, size)))
    return chosen


def ending(status: int) -> str:
    return f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with exit status {status}"


class Program:
    """A process that answers a line of JSON to each line; {"error": how} when it has ended."""

    def __init__(self, command, log=None, **environment):
        self.ended = self.was_late = False
        self.command = [str(word) for word in command]
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=os.environ | environment,
        )

    def ask(self, line: str, seconds: int = SECONDS_TO_ANSWER) -> dict:
        timer = threading.Timer(seconds, self.stop_waiting)
        timer.start()
        answer = ""
        try:
            print(line, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
            return json.loads(answer)
        except (OSError, ValueError):
            return {"error": f"{self.end(answer, seconds)} at '{line}'"}
        finally:
            timer.cancel()

    def stop_waiting(self) -> None:
        self.was_late = True
        self.process.kill()

    def end(self, last_words: str, seconds: int) -> str:
        """How it came to that."""
        self.ended = True
        with suppress(OSError):
            self.process.stdin.close()
        if last_words:
            self.process.kill()
            return f"answered {last_words.strip()!r}, which is no JSON,"
        status = self.process.wait()
        return f"did not answer within {seconds} s" if self.was_late else ending(status)

    def must(self, line: str) -> dict:
        """Without an answer there is nothing to measure: this program ends."""
        answer = self.ask(line)
        if "error" in answer:
            sys.exit(f"{self.command[0]}: {answer['error']}")
        return answer

    def may(self, line: str, subject: str) -> dict:
        """Without an answer a column stays empty; why is said once."""
        answer = {} if self.ended else self.ask(line)
        if "error" in answer and "has no" not in answer["error"]:
            print(f"{subject}: {answer['error']}; see {RESULTS / 'peers.log'}", file=sys.stderr)
        return answer

    def close(self) -> None:
        if not self.ended:
            self.process.communicate()


class Peers:
    """JAX, and Open MPI with as many ranks as devices; "huge pages": as our memory is, "as installed", or "none". Their
    warnings go to peers.log."""

    HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}

    def __init__(self, wanted: str):
        self.environment = self.HUGE_PAGES if wanted == "huge pages" else {}
        self.jax = self.mpi = None
        self.ranks = 0
        self.has_mpi = wanted != "none" and MPI.exists() and which("mpirun") is not None
        if wanted == "none":
            return
        self.log = (RESULTS / "peers.log").open("w")
        if PYTHON.exists():
            self.jax = Program([PYTHON, "bench/collectives_peer.py"], self.log, **self.environment)
        else:
            print("JAX is left out: there is no .venv (make setup makes it)")
        if not self.has_mpi:
            print("Open MPI is left out: its program is not built (make setup installs Open MPI)")

    def of(self, devices: int) -> dict[str, Program]:
        if self.has_mpi and self.ranks != devices:
            self.close_mpi()
            self.mpi, self.ranks = Program(self.mpirun(devices), self.log, **self.environment), devices
        return {name: peer for name, peer in (("jax", self.jax), ("mpi", self.mpi)) if peer and not peer.ended}

    @staticmethod
    def mpirun(ranks: int) -> list:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", ranks]
        if ranks <= (os.cpu_count() or 1):
            return [*command, "--bind-to", "core", MPI]
        return [*command, "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", MPI]

    def close_mpi(self) -> None:
        if self.mpi:
            self.mpi.close()
        self.mpi = None


def one_round(steps, backwards: bool) -> dict[str, float]:
    times = {}
    for key, step in reversed(steps) if backwards else steps:
        answer = step()
        if "us" in answer:
            times[key] = answer["us"]
        if "handoff_ns" in answer:
            times["handoff_ns"] = max(answer["handoff_ns"])
    return times


def rounds_of(steps, wanted: int) -> list[dict[str, float]]:
    """Those in which the two workers were near each other, if there are any."""
    near, far = [], []
    for i in range(wanted + EXTRA_ROUNDS):
        times = one_round(steps, backwards=i % 2 == 1)
        (near if times["handoff_ns"] < NEAR_NS else far).append(times)
        if len(near) == wanted or len(near) + len(far) >= wanted and not near:
            break
    return near or far


def ratio(rounds, over: str, under: str) -> list[float] | None:
    """Median, least and greatest."""
    found = [times[over] / times[under] for times in rounds if over in times and under in times]
    return [statistics.median(found), min(found), max(found)] if found else None


def measured(point: Point, ours: Program, peers: dict[str, Program], rounds: int) -> dict:
    ours.must(point.request(point.chain))
    steps = [("us", partial(ours.must, "measure")), ("copy_us", partial(ours.must, "copy"))]
    for name, peer in peers.items():
        subject = f"{point.name} {point.bytes} {name}"
        if "error" not in peer.may(point.request(point.peers_chain()), subject):
            steps.append((f"{name}_us", partial(peer.may, "measure", subject)))
    done = rounds_of(steps, rounds)
    record = asdict(point)
    for key in ("us", "copy_us", "jax_us", "mpi_us"):
        found = [times[key] for times in done if key in times]
        record[key] = statistics.median(found) if found else None
    record["range"] = [min(times["us"] for times in done), max(times["us"] for times in done)]
    record["over_copy"] = ratio(done, "us", "copy_us")
    record["jax_over"] = ratio(done, "jax_us", "us")
    record["mpi_over"] = ratio(done, "mpi_us", "us")
    record["handoff_ns"] = statistics.median(times["handoff_ns"] for times in done)
    record["rounds"] = len(done)
    return record


def in_words(size: int) -> str:
    for shift, unit in ((20, "MiB"), (10, "KiB")):
        if size >> shift:
            return f"{size >> shift} {unit}"
    return f"{size} B"


def number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def times(found: list[float] | None) -> str:
    """Median and range of a ratio."""
    if not found:
        return ""
    digits = 2 if found[0] < 10 else 1 if found[0] < 100 else 0
    return f"{found[0]:.{digits}f} [{found[1]:.{digits}f}-{found[2]:.{digits}f}]"


HEADER = (
    f"{'':<13}{'bytes':>8}{'Tutti':>9}{'copy':>9}{'Tutti/copy':>17}{'JAX':>9}{'JAX/Tutti':>18}"
    f"{'MPI':>9}{'MPI/Tutti':>18}{'hand-off':>10}"
)


def line(r: dict) -> str:
    name = "one call" if r["chain"] == 1 and r["bytes"] <= SMALL else r["name"]
    return (
        f"{name:<13}{in_words(r['bytes']):>8}{number(r['us']):>9}{number(r['copy_us']):>9}{times(r['over_copy']):>17}"
        f"{number(r['jax_us']):>9}{times(r['jax_over']):>18}{number(r['mpi_us']):>9}{times(r['mpi_over']):>18}"
        f"{r['handoff_ns']:>7.0f} ns"
    )


def collectives(chosen: list[Point], rounds: int, wanted_peers: str) -> list[dict]:
    """Measures and prints."""
    if not OURS.exists():
        sys.exit(f"there is no {OURS}; run make bench")
    RESULTS.mkdir(parents=True, exist_ok=True)
    ours, peers, records, of = Program([OURS]), Peers(wanted_peers), [], None
    for point in chosen:
        if of != (point.devices, point.dtype):
            of = (point.devices, point.dtype)
            print(f"\n{point.devices} devices, {point.dtype}: us per collective, median of {rounds} rounds\n{HEADER}")
        records.append(measured(point, ours, peers.of(point.devices), rounds))
        print(line(records[-1]), flush=True)
    peers.close_mpi()
    if peers.jax:
        peers.jax.close()
    ours.close()
    return records
