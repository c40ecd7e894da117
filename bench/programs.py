# SPDX-License-Identifier: Apache-2.0
"""The table of programs: loops that update a large carry, reductions over all dims, long programs to compile, others.
Each stands beside JAX on one device, a simpler program of ours, or a loop by hand. The bound is for the ratio.

A round times ours and its peer in turn, the next round in the opposite order; times and ratios are medians over rounds.
A row ends with the round in which it has taken 6 s, if it does not say another time. A compilation that would take more than a minute is left out: the
row says how long it would take, by the growth between the two sizes before it. One that takes longer all the same is
stopped.
"""

import math
import statistics
import sys
import time
from dataclasses import dataclass, replace
from functools import partial

from side_by_side import PYTHON, RESULTS, Peers, Program

BINARIES = "build/release/bin/bench_programs_"
ROUNDS, ENOUGH_SECONDS, MOST_SECONDS = 3, 6, 60
SECONDS_TO_ANSWER = 75  # with the checks
KIB = 1 << 10


@dataclass(frozen=True)
class Step:
    """What one process measures: "loops", "arrays", "compile", "exchanges", "functions", "random", "read", "reshard"
    or "xla", or one of PEERS."""

    process: str
    name: str
    size: int = 0

    def request(self) -> str:
        return f"measure {self.name} {self.size}"


@dataclass(frozen=True)
class Row:
    """The ratio is ours over `share` times the sum of the peer's. A string is the name of a Google Benchmark."""

    program: str
    ours: Step | str
    peer: tuple[Step | str, ...] = ()
    what: str = ""  # the peer, in words
    share: float = 1
    bound: str = ""
    arena: str = ""  # its bound
    rounds: int = ROUNDS
    seconds: float = ENOUGH_SECONDS
    rest: float = 0  # seconds before ours

    def steps(self) -> dict[str, Step | str]:
        return {"ours": self.ours} | {f"peer {i}": step for i, step in enumerate(self.peer)}


loops, arrays, compiling, exchanges, functions, random, reading, resharding, xla = (
    partial(Step, name)
    for name in ("loops", "arrays", "compile", "exchanges", "functions", "random", "read", "reshard", "xla")
)
jax, jax_on_one_core, jax_on_devices, jax_beside_xla, jax_that_writes = (
    partial(Step, name)
    for name in ("jax", "jax on one core", "jax on devices", "jax beside xla", "jax that writes")
)
PEERS = {
    "jax": "bench/programs_peer.py",
    "jax on one core": "bench/one_core_peer.py",
    "jax on devices": "bench/reshard_peer.py",
    "jax beside xla": "bench/xla_peer.py",
    "jax that writes": "bench/read_peer.py",
}
# The threads of JAX's OpenBLAS look for work for 2^26 cycles after their last one.
SECONDS_THAT_OPENBLAS_SPINS = 0.1
FEW, MANY = 256, 32 * 256  # rows of 256 elements


def beside_jax(program: str, ours: Step, bound: str = "1") -> Row:
    return Row(program, ours, (jax(ours.name, ours.size),), "JAX", bound=bound)


def on_one_core(program: str, name: str, ours: partial = arrays) -> list[Row]:
    """Ours with as many workers as `size` says: one beside JAX on one core, with a bound, and two beside JAX on all."""
    return [
        Row(f"{program}, one core", ours(name, 1), (jax_on_one_core(name, 1),), "JAX", bound="1"),
        replace(beside_jax(f"{program}, two", ours(name, 2), bound=""), rest=SECONDS_THAT_OPENBLAS_SPINS),
    ]


def updates(program: str, name: str) -> list[Row]:
    few, many, on_devices = loops(f"{name}_rows", FEW), loops(f"{name}_rows", MANY), f"{name}_on_devices"
    kept, copy = loops(f"{name}_rows_kept", MANY), loops("copy_rows", MANY)
    return [
        Row(f"256 x {program}, [256,256]", few),
        Row("  32 times the rows, donated", many, (few,), "256 rows", bound="1.5"),
        Row("  32 times the rows, kept", kept, (few, copy), "256 rows + copy", bound="1.5"),
        beside_jax("  512, [512,2048]", loops(on_devices, 1), bound="1.5"),
        beside_jax("  512, 4 x [512,2048]", loops(on_devices, 4), bound="1.5"),
    ]


def reduction(program: str, name: str, passes: int = 1, note: str = "") -> Row:
    bound = f"{1.3 * passes:.1f}{note}"
    return Row(program, arrays(name), (arrays("sum"),), "plain sum", bound=bound, arena="64 KiB")


REDUCTIONS = [
    beside_jax("sum, 64 MiB", arrays("sum"), bound=""),
    reduction("psum(sum(x*x))", "psum_of_squares"),
    beside_jax("  beside JAX", arrays("psum_of_squares"), bound=""),
    reduction("norm", "norm"),
    reduction("mean(square(x))", "mean_square"),
    reduction("variance", "variance", 2),
    reduction("logsumexp", "logsumexp", 2, " + exp"),
    reduction("argmax over all", "argmax_of_all"),
    reduction("sum of u8 as i64", "sum_of_bytes"),
]


def gradient(equations: int) -> Row:
    shortest = compiling("gradient", 2_000)
    program, row = f"gradient of {equations:,} equations", compiling("gradient", equations)
    if equations == 2_000:
        return Row(program, row)
    bound = "1.3, 6 s" if equations == 120_000 else "1.3"
    return Row(program, row, (shortest,), "2,000, an equation", equations / 2_000, bound)


def ring(devices: int) -> Row:
    program, row = f"ring on {devices:,} devices", compiling("ring", devices)
    if devices == 256:
        return Row(program, row)
    bound = {4_096: "4.5, 0.5 s", 65_536: "5 s, all three"}.get(devices, "4.5")
    peer = (compiling("ring", devices // 4),) if devices <= 4_096 else ()
    return Row(program, row, peer, "a quarter of them" if peer else "", bound=bound)


# Of one shape: each kind of program takes a time of its own.
LEAVES = {
    "2,000 leaves, scaled": "scaled_leaves",
    "Adam step of 2,000 parameters": "adam",
    "psum of 2,000 leaves": "psum_of_leaves",
    "scan with 2,000 carries": "scan_of_leaves",
}


def leaves(program: str, name: str) -> Row:
    return Row(program, compiling(name, 2_000), (compiling(name, 1_000),), "1,000", bound="2.3")


def collective(program: str, name: str, devices: int) -> Row:
    return Row(f"{program} on {devices:,} devices", compiling(name, devices))


COMPILING = [
    *(gradient(n) for n in (2_000, 8_000, 30_000, 120_000)),
    *(ring(n) for n in (256, 1_024, 4_096)),
    *(collective("psum", "psum", n) for n in (1_024, 4_096, 65_536)),
    *(collective("all_gather to invariant", "all_gather", n) for n in (1_024, 4_096, 65_536)),
    ring(65_536),
    *(leaves(program, name) for program, name in LEAVES.items()),
]


def scan_of_layers() -> Row:
    in_scan, written_out = (f"transformer{scan}_step/workers:2" for scan in ("_scan", ""))
    return Row("transformer, layers in a scan", in_scan, (written_out,), "written out", bound="1.15")


def fused(program: str, name: str) -> Row:
    by_hand = (f"fused_{name}/by_hand/64/64",)
    return Row(f"{program} of 8 x [64,64]", f"fused_{name}/tutti/64/64", by_hand, "by hand", bound="1.6")


def first_call(mebibytes: int) -> Row:
    memset = (arrays("first_memset", mebibytes),)
    return Row(f"first call, {mebibytes} MiB", arrays("first_call", mebibytes), memset, "memset", bound="1.2")


def exchange(program: str, name: str, peer: str, size: int, bound: str) -> Row:
    ours, plain = exchanges(name, size), exchanges(peer, size)
    return Row(f"{program}, 8 x {size // KIB} KiB", ours, (plain,), peer, bound=bound)


EXCHANGES = [
    *(exchange("ragged_all_to_all", "ragged_all_to_all", "all_to_all", n * KIB, "1.3") for n in (64, 1024)),
    *(exchange("psum_start and done", "psum_in_halves", "psum", n * KIB, "+ 20 ns") for n in (4, 64)),
]


def reshard(program: str, name: str) -> list[Row]:
    """64 MiB on the mesh x=4,y=2."""
    size = 64 << 20
    ours = resharding(name, size)

    def beside(way: str, what: str, peer: Step, bound: str) -> Row:
        return Row(f"{program}{way}", ours, (peer,), what, bound=bound)

    return [
        beside("", "copy", resharding("copy", size), "1.3"),
        beside(", beside JAX", "jax.device_put", jax_on_devices(f"put_{name}", size), "0.33"),
        beside(", beside JAX", "jax.jit", jax_on_devices(f"jit_{name}", size), "0.33"),
    ]


RESHARD = [
    *reshard("P(x) -> P(none, x)", "rows_to_columns"),
    *reshard("P(x, y) -> P(y, x)", "axes_swapped"),
    Row("P(x) -> P(x), handed through", resharding("as_it_lies", 64 << 20)),
]
# The first time of a row includes compilation: 1 s of the digits step, 10 s of a transformer.
XLA = [
    Row(
        "digits step by XLA",
        xla("digits_step"),
        (jax_beside_xla("digits_step"),),
        "JAX",
        bound="1",
        rounds=15,
        seconds=10,
    ),
    Row(
        "transformer step by XLA",
        xla("transformer_step"),
        (jax_beside_xla("transformer_step"),),
        "JAX",
        bound="1.05",
        seconds=40,
    ),
    Row("our side of a call, 10 x 8 arguments", xla("own_step"), bound="20 us"),
    Row("our side of compiling it", xla("own_compile"), (xla("digits_compile"),), "1 % with XLA's", 0.01, "2"),
]


def draw(program: str, name: str) -> Row:
    """By one worker."""
    return Row(program, random(name, 1 << 20), (jax_on_one_core(name, 1 << 20),), "JAX, one core", bound="1")


FUNCTIONS = [
    *on_one_core("sort, 2^20 of f32", "sort", functions),
    *on_one_core("top_k, 64 of 2^20", "top_k", functions),
    *on_one_core("cumsum, 2^20 of f32", "cumsum", functions),
    *on_one_core("gelu, [1024,1024]", "gelu", functions),
    *on_one_core("layer_norm, [1024,1024]", "layer_norm", functions),
    *on_one_core("fft, 2^20 of complex64", "fft", functions),
    *on_one_core("fft2, [256,256] of complex64", "fft2", functions),
    *on_one_core("fft2, [16,256,256] of complex64", "fft2s", functions),
    *on_one_core("poisson, [128,128,128]", "poisson", functions),
    *on_one_core("convolution 3x3, 8x32x32x64", "convolution", functions),
    *on_one_core("  both gradients", "convolution_gradient", functions),
    *on_one_core("max_pool 2x2, [8,32,32,64]", "max_pool", functions),
    *on_one_core("its gradient", "max_pool_gradient", functions),
    *on_one_core("qr, [512,512] of f32", "qr", functions),
    *on_one_core("eigh, [256,256] of f32", "eigh", functions),
    *on_one_core("svd, [256,256] of f32", "svd", functions),
    *on_one_core("cholesky, [512,512]", "cholesky", functions),
    *on_one_core("cholesky, f64[512,512]", "cholesky_f64", functions),
    *on_one_core("solve, [512,512], [512]", "solve", functions),
]


def step_read(program: str, name: str, twin: str, of_jax: str) -> list[Row]:
    """A training step that JAX has written, beside our own program of it, and beside JAX on 8 devices."""
    ours = reading(name)
    return [
        Row(program, ours, (reading(twin),), "written in C++", bound="1.15"),
        Row("  beside JAX", ours, (jax_that_writes(name),), "JAX, 8 devices", bound=of_jax, seconds=60),
    ]


READ = [
    Row("read a transformer, 577 kB", reading("read_transformer"), (jax_that_writes("parse_transformer"),), "jaxlib", bound="0.25"),
    Row("  120 layers of ours", reading("read_layers", 120), (reading("read_layers", 12),), "12, ten times", 10, "1.1"),
    Row("read a constant of 40 MB", reading("read_constant", 40 << 20), (jax_that_writes("parse_constant", 40 << 20),), "jaxlib", bound="1"),
    Row("read and compile it", reading("compile"), (jax_that_writes("compile"),), "XLA, compile", bound="0.05", seconds=1),
    *step_read("its step", "unrolled_step", "twin_unrolled", "0.35"),
    *step_read("its step, layers in a scan", "scan_step", "twin_scan", "0.55"),
    *step_read("the digits step", "digits_step", "twin_digits", "0.15"),
    Row("tutti check, ten lines", reading("check_ten_lines"), (reading("version"),), "tutti --version", bound="3"),
]

SECTIONS = {
    "loops": [
        *updates("dynamic_update_slice", "update"),
        *updates("scatter_add", "add"),
        beside_jax("decode 256 tokens, cached", loops("decode", 256), bound="1.5"),
        scan_of_layers(),
    ],
    "reductions": REDUCTIONS,
    "compile": COMPILING,
    "elements": [
        fused("softmax", "softmax"),
        fused("layer norm", "layer_norm"),
        first_call(1024),
        beside_jax("argmax of [2048,2048], dim 0", arrays("argmax_along", 0)),
        beside_jax("argmax of [2048,2048], dim 1", arrays("argmax_along", 1)),
        beside_jax("exp + sin*tanh + erf, [2048,2048]", arrays("functions")),
        *on_one_core("einsum bij,bjk,bkl->bil", "einsum_of_three"),
    ],
    "exchanges": EXCHANGES,
    "random": [draw("bits, 2^20 of u32", "random_bits"), draw("normal, 2^20 of f32", "random_normal")],
    "reshard": RESHARD,
    "xla": XLA,
    "functions": FUNCTIONS,
    "read": READ,
}
IN_EVERY_RUN = ("exchanges", "reshard", "xla", "random", "functions", "read")
# The figures that the table takes from Google Benchmark programs: their names, and a filter.
FROM_BENCHMARKS = {
    "transformer": "transformer(_scan)?_step/workers:2",
    "fusion": "fused_(softmax|layer_norm)/.*/64/64",
}


class Processes:
    """Started when first asked. One that does not answer in time is killed; the next row starts anew."""

    def __init__(self, peers: str):
        self.with_jax = peers != "none" and PYTHON.exists()
        self.environment = Peers.HUGE_PAGES if peers == "huge pages" else {}
        self.running: dict[str, Program] = {}
        RESULTS.mkdir(parents=True, exist_ok=True)
        self.log = (RESULTS / "programs.log").open("w")

    def has(self, step: Step | str) -> bool:
        return isinstance(step, str) or step.process not in PEERS or self.with_jax

    def ask(self, name: str, line: str) -> dict:
        if name not in self.running:
            command = [PYTHON, PEERS[name]] if name in PEERS else [BINARIES + name]
            allocated_by_xla = name in PEERS or name == "xla"
            environment = self.environment if allocated_by_xla else {}
            self.running[name] = Program(command, self.log if name in PEERS else None, **environment)
        program = self.running[name]
        answer = program.ask(line, SECONDS_TO_ANSWER)
        if program.ended:
            del self.running[name]
            if not program.was_late:
                sys.exit(f"{program.command[-1]}: {answer['error']}")
        return answer

    def forget(self) -> None:
        for name in list(self.running):
            self.ask(name, "forget")

    def close(self) -> None:
        for program in self.running.values():
            program.close()


class Table:
    def __init__(self, processes: Processes, figures: dict[str, float]):
        self.processes, self.figures = processes, figures
        self.known: dict[Step, float] = {}  # us, of compiling
        self.started = time.monotonic()

    def expected_seconds(self, step: Step | str) -> float:
        """As time grew between the two largest sizes measured before."""
        if isinstance(step, str):
            return 0
        known = ((s.size, us) for s, us in self.known.items() if s.name == step.name)
        smaller = sorted(k for k in known if k[0] < step.size)
        if len(smaller) < 2:
            return 0
        (size, us), (largest, most_us) = smaller[-2:]
        power = math.log(max(most_us / us, 1)) / math.log(largest / size)
        return most_us * (step.size / largest) ** power / 1e6

    def ask(self, step: Step | str) -> dict:
        if isinstance(step, str):
            return {"us": self.figures[step]}
        return self.processes.ask(step.process, step.request())

    def rounds_of(self, row: Row) -> list[dict[str, dict]]:
        """Of answers. The first that is an error is the last."""
        steps = [(key, step) for key, step in row.steps().items() if self.processes.has(step)]
        rounds, start = [], time.monotonic()
        while len(rounds) < row.rounds and time.monotonic() - start < row.seconds:
            rounds.append({})
            for key, step in reversed(steps) if len(rounds) % 2 == 0 else steps:
                if key == "ours":
                    time.sleep(row.rest)
                rounds[-1][key] = answer = self.ask(step)
                if "error" in answer:
                    return [{"ours": answer}]
        self.processes.forget()
        return rounds

    def record(self, row: Row) -> dict:
        """What is printed, and kept in results.json."""
        record = {"program": row.program.strip(), "peer": row.what, "bound": row.bound}
        if (seconds := self.expected_seconds(row.ours)) > MOST_SECONDS:
            return record | {"left_out": f"skipped: about {seconds:,.0f} s"}
        rounds = self.rounds_of(row)
        last = rounds[-1]["ours"]
        if "error" in last:
            reason = f"refused: {last['code']}" if "code" in last else f"skipped: more than {SECONDS_TO_ANSWER} s"
            return record | {"left_out": reason}
        require_same_values(row, rounds[-1])
        ours = [answers["ours"]["us"] for answers in rounds]
        record["us"] = statistics.median(ours)
        if isinstance(row.ours, Step) and row.ours.process == "compile":
            self.known[row.ours] = record["us"]
        record["arena_bytes"] = last.get("arena")
        peers = [peer_time(row, answers) for answers in rounds if len(answers) > 1]
        if peers:
            record["peer_us"] = statistics.median(peers)
            record["ratio"] = statistics.median(us / peer for us, peer in zip(ours, peers, strict=True))
        return record

    def measured(self, sections) -> list[dict]:
        print(f"\n{HEADER}")
        records = []
        for section in sections:
            print(section)
            for row in SECTIONS[section]:
                records.append(self.record(row))
                print(line(row, records[-1]), flush=True)
        print(f"in {time.monotonic() - self.started:.0f} s")
        return records


def peer_time(row: Row, answers: dict[str, dict]) -> float:
    return row.share * sum(answer["us"] for key, answer in answers.items() if key != "ours")


def require_same_values(row: Row, answers: dict[str, dict]) -> None:
    """Ours were checked one by one; JAX has the same mean of absolute values, so it did the same work."""
    found = answers["ours"].get("value")
    for key, answer in answers.items():
        step = row.steps()[key]
        if isinstance(step, Step) and step.process in PEERS and found is not None and "value" in answer:
            if abs(answer["value"] - found) > 1e-4 * abs(found):
                sys.exit(f"{row.program}: ours gives {found}, JAX {answer['value']}")


def in_words(us: float | None) -> str:
    if us is None:
        return ""
    for unit, least in (("s", 1e6), ("ms", 1e3)):
        if us >= least:
            return f"{us / least:.2f} {unit}"
    return f"{us:.3f} us" if us < 10 else f"{us:.1f} us"


HEADER = f"{'programs, median of rounds':<44}{'Tutti':>10}{'peer':>11}  {'':<17}{'ratio':>8}  bound"


def line(row: Row, record: dict) -> str:
    text = f"  {row.program:<42}"
    if "left_out" in record:
        return f"{text}{record['left_out']:<48}  {row.bound}".rstrip()
    has_ratio = "ratio" in record
    ratio = f"{record['ratio']:.2f}" if has_ratio else ""
    text += f"{in_words(record['us']):>10}{in_words(record.get('peer_us')):>11}"
    text += f"  {row.what if has_ratio else '':<17}{ratio:>8}  {row.bound:<15}"
    used = record["arena_bytes"]
    if used is not None:
        text += f"arena {used / KIB:,.0f} KiB" + (f", bound {row.arena}" if row.arena else "")
    return text.rstrip()


def measured(figures: dict[str, float], peers: str, sections=tuple(SECTIONS)) -> list[dict]:
    """Measures and prints. `figures`: those of FROM_BENCHMARKS, in us; `peers`: as tools/bench takes them."""
    processes = Processes(peers)
    records = Table(processes, figures).measured(sections)
    processes.close()
    return records
