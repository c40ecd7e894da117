// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/flow/needed_part.hpp"

#include <algorithm>

#include "tutti/control/flow/scan.hpp"
#include "tutti/control/flow/scan_groups.hpp"
#include "tutti/control/flow/switch.hpp"
#include "tutti/control/flow/while.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/control/wrapped/remat.hpp"

namespace tutti {
namespace {

using Numbers = std::vector<std::size_t>;

/// An op that gives some results of another and takes only the operands that these need.
struct Part {
  Op op;
  Numbers operands, results;
};

Numbers numbers_of(const Bits& marks, std::size_t first = 0) {
  Numbers numbers;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i]) numbers.push_back(first + i);
  return numbers;
}

int count(const Bits& marks, std::size_t begin, std::size_t end) {
  return static_cast<int>(std::count(marks.begin() + static_cast<std::ptrdiff_t>(begin),
                                     marks.begin() + static_cast<std::ptrdiff_t>(end), true));
}

Bits used_inputs(const Program& program) {
  PerVar<bool> used(program);
  for (Var var : program.outputs) used[var] = true;
  for (const Equation& equation : program.equations)
    for (Var var : equation.operands) used[var] = true;
  return used.of(program.inputs);
}

void mark_also(Bits& marks, const Bits& others) {
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = marks[i] || others[i];
}

/// The part of a loop's body that makes the `outputs` marked. Marks further carries, the first outputs, until
/// the part reads no carry that is not marked. `inputs`: those that the part reads, and the carries that are
/// marked.
Program needed_body(const Program& body, std::size_t consts, std::size_t carries, Bits& outputs,
                    Bits& inputs) {
  Program part;
  for (bool grew = true; grew;) {
    part = needed_part(body, numbers_of(outputs));
    inputs = used_inputs(part);
    grew = false;
    for (std::size_t i = 0; i < carries; ++i) {
      if (!inputs[consts + i] || outputs[i]) continue;
      outputs[i] = grew = true;
    }
  }
  for (std::size_t i = 0; i < carries; ++i) inputs[consts + i] = outputs[i];
  return part;
}

Part part_of(const Scan& scan, Bits results) {
  ScanGroups ends(scan);
  Bits inputs;
  Program body =
      needed_body(*scan.body, ends.consts, static_cast<std::size_t>(scan.carries), results, inputs);
  Scan part{shared(with_inputs(std::move(body), numbers_of(inputs))), count(inputs, 0, ends.consts),
            count(inputs, ends.consts, ends.carries), scan.length, scan.reverse};
  return {part, numbers_of(inputs), numbers_of(results)};
}

Part part_of(const While& loop, Bits results) {
  auto consts = static_cast<std::size_t>(loop.consts);
  Program test = needed_part(*loop.test, {0});
  Bits tested = used_inputs(test), inputs;
  mark_also(results, Bits(tested.begin() + loop.consts, tested.end()));
  Program body = needed_body(*loop.body, consts, results.size(), results, inputs);
  mark_also(inputs, tested);
  Numbers operands = numbers_of(inputs);
  While part{shared(with_inputs(std::move(test), operands)), shared(with_inputs(std::move(body), operands)),
             count(inputs, 0, consts)};
  return {part, operands, numbers_of(results)};
}

Part part_of(const Switch& op, const Bits& results) {
  std::vector<Program> branches;
  Bits inputs(op.branches[0]->inputs.size());
  for (const SubProgram& branch : op.branches) {
    branches.push_back(needed_part(*branch, numbers_of(results)));
    mark_also(inputs, used_inputs(branches.back()));
  }
  Switch part;
  for (Program& branch : branches)
    part.branches.push_back(shared(with_inputs(std::move(branch), numbers_of(inputs))));
  Numbers operands = numbers_of(inputs, 1);
  operands.insert(operands.begin(), 0);  // the index
  return {part, operands, numbers_of(results)};
}

Part part_of(const Remat& op, const Bits& results) {
  Program body = needed_part(*op.body, numbers_of(results));
  Numbers operands = numbers_of(used_inputs(body));
  return {Remat{shared(with_inputs(std::move(body), operands)), op.policy, op.keep}, operands,
          numbers_of(results)};
}

/// None for an op that is kept whole.
std::optional<Part> part_of(const Op& op, const Bits& results) {
  if (const Scan* scan = op.as<Scan>()) return part_of(*scan, results);
  if (const While* loop = op.as<While>()) return part_of(*loop, results);
  if (const Switch* branches = op.as<Switch>()) return part_of(*branches, results);
  if (const Remat* remat = op.as<Remat>()) return part_of(*remat, results);
  return std::nullopt;
}

}  // namespace

Program needed_part(Program program, const std::vector<std::size_t>& outputs) {
  program = with_outputs(std::move(program), outputs);
  PerVar<bool> live(program);
  for (Var var : program.outputs) live[var] = true;
  std::vector<Equation> kept;
  for (auto it = program.equations.rbegin(); it != program.equations.rend(); ++it) {
    Bits results = live.of(it->results);
    if (std::ranges::find(results, true) == results.end()) continue;
    if (std::optional<Part> part = part_of(it->op, results)) {
      it->op = part->op;
      it->operands = permuted(it->operands, part->operands);
      it->results = permuted(it->results, part->results);
    }
    for (Var var : it->operands) live[var] = true;
    kept.push_back(std::move(*it));
  }
  std::ranges::reverse(kept);
  program.equations = std::move(kept);
  return program;
}

}  // namespace tutti
