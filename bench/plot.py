# SPDX-License-Identifier: Apache-2.0
"""Curves on two logarithmic scales, as SVG text."""

import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 110, 40, 50
COLOURS = ("#c0392b", "#7f8c8d", "#2471a3", "#1e8449", "#af601a")


class Scale:
    """From a logarithmic scale of values to pixels."""

    def __init__(self, values, first: float, last: float):
        self.low, self.high = math.log(min(values)), math.log(max(values))
        self.first, self.last = first, last

    def __call__(self, value: float) -> float:
        span = self.high - self.low or 1
        return self.first + (math.log(value) - self.low) / span * (self.last - self.first)


def text(x: float, y: float, what: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{what}</text>'


def line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def decades(low: float, high: float) -> list[float]:
    return [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def apart(heights: dict[str, float]) -> dict[str, float]:
    """The heights of lines of text, moved down where they would lie on each other."""
    moved, lowest = {}, -math.inf
    for name in sorted(heights, key=heights.get):
        moved[name] = lowest = max(heights[name], lowest + 14)
    return moved


def curves(title: str, x_label: str, y_label: str, x_names: dict[float, str], series: dict[str, dict]) -> str:
    """`series`: name -> {x: y}; `x_names`: what stands below each x."""
    ticks = decades(*(f(y for curve in series.values() for y in curve.values()) for f in (min, max)))
    x_at, y_at = Scale(x_names, LEFT, WIDTH - RIGHT), Scale(ticks, HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text((LEFT + WIDTH - RIGHT) / 2, 22, title, more='font-size="14"'),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_label),
        text(16, HEIGHT / 2, y_label, more=f'transform="rotate(-90 16 {HEIGHT / 2:.0f})"'),
    ]
    for y in ticks:
        parts += [line(LEFT, y_at(y), WIDTH - RIGHT, y_at(y)), text(LEFT - 6, y_at(y) + 4, f"{y:,.7g}", "end")]
    for x, name in x_names.items():
        parts += [line(x_at(x), TOP, x_at(x), HEIGHT - BOTTOM), text(x_at(x), HEIGHT - BOTTOM + 16, name)]
    ends = {name: y_at(curve[max(curve)]) for name, curve in series.items()}
    for colour, (name, curve) in zip(COLOURS, series.items()):
        at = [(x_at(x), y_at(y)) for x, y in sorted(curve.items())]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in at]
        parts.append(text(at[-1][0] + 8, apart(ends)[name] + 4, name, "start", f'fill="{colour}"'))
    return "\n".join([*parts, "</svg>"]) + "\n"
