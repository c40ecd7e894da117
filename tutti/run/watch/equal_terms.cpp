// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/equal_terms.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "tutti/base/short_place.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"

namespace tutti {
namespace {

/// The op, or the one that it starts.
Op collective_of(const Op& op) {
  const Start* start = op.as<Start>();
  return start ? start->op : op;
}

Axes equal_axes(const Op& op) {
  if (const AllReduce* sum = op.as<AllReduce>()) return sum->equal_axes;
  const ReduceScatter* sum = op.as<ReduceScatter>();
  return sum ? sum->equal_axes : Axes{};
}

/// "train.cpp:12: ".
std::string place_before(const Where& where) { return where.known() ? short_place(where) + ": " : ""; }

/// A transform may record a sum again, at the line of the first: that line is told once.
void add_lines(const Program& program, std::vector<std::string>& lines) {
  for (const Equation& equation : program.equations) {
    const Op collective = collective_of(equation.op);
    if (const Axes equal = equal_axes(collective); !equal.empty()) {
      const std::string line = fmt::format(
          "{}{} counts an equal value once per device along {}; if it is to count once, leave the sum out",
          place_before(equation.where), collective->name(), to_string(equal));
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
    for (const SubProgram& inside : equation.op->programs()) add_lines(*inside, lines);
  }
}

}  // namespace

std::vector<std::string> equal_terms(const Program& program) {
  std::vector<std::string> lines;
  add_lines(program, lines);
  return lines;
}

}  // namespace tutti
