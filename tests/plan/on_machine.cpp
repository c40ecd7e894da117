// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/on_machine.hpp"

#include <fmt/core.h>

#include "tests/support/values.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/plan/take_step.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

/// A term of each element. Sums of some of them are not sums of others. Small enough to be exact in f16.
Tensor term_of(const Type& whole, int term) {
  Tensor values(whole.shape(), whole.dtype());
  for (std::int64_t i = 0; i < values.elements(); ++i)
    put_element(values, i, static_cast<double>(i + 1 + term * (i % 5 + 2)));
  return values;
}

Tensor sum_of_terms(const Type& whole, int terms) {
  Tensor values(whole.shape(), whole.dtype());
  const std::int64_t numbers = std::int64_t{terms} * (terms - 1) / 2;  // 0 + 1 + ..
  for (std::int64_t i = 0; i < values.elements(); ++i)
    put_element(values, i, static_cast<double>(terms * (i + 1) + numbers * (i % 5 + 2)));
  return values;
}

/// The sum of what the devices hold that differ from `device` along `axes` only.
Tensor sum_along(const Axes& axes, const Mesh& mesh, const PerDevice& parts, int device) {
  Axes others;
  for (const Axis& axis : mesh.axes())
    if (!contains(axes, axis)) others.push_back(axis);
  Tensor sum(parts[static_cast<std::size_t>(device)].shape(), parts[0].dtype());
  for (std::int64_t i = 0; i < sum.elements(); ++i) {
    double value = 0;
    for (int other = 0; other < mesh.devices(); ++other)
      if (mesh.position(other, others) == mesh.position(device, others))
        value += parts[static_cast<std::size_t>(other)].at(i);
    put_element(sum, i, value);
  }
  return sum;
}

}  // namespace

Program program_of(const ReshardPlan& plan, Taken taken) {
  auto body = [&](const Arrays& x) {
    return Arrays{taken == Taken::by_steps ? take(plan, x[0]) : take_at_once(plan, x[0])};
  };
  return trace({local_type(plan.request.whole, plan.request.from)}, body).program;
}

PerDevice parts_of(const Type& whole, const Sharding& sharding) {
  std::vector<PerDevice> by_term;
  for (int term = 0; term < joint_size(sharding.unreduced); ++term)
    by_term.push_back(blocks_of(term_of(whole, term), sharding));
  PerDevice parts;
  for (int device = 0; device < sharding.mesh.devices(); ++device)
    parts.push_back(by_term[static_cast<std::size_t>(sharding.mesh.position(device, sharding.unreduced))]
                           [static_cast<std::size_t>(device)]);
  return parts;
}

std::string wrong_on_machine(const ReshardPlan& plan, Taken taken) {
  const auto& [whole, from, to, options] = plan.request;
  const Program program = program_of(plan, taken);
  if (program.types_of(program.outputs) != Types{local_type(whole, to)}) return "the result has another type";
  const PerDevice found = run_on_machine(program, from.mesh, {parts_of(whole, from)})[0];
  const PerDevice expected = blocks_of(sum_of_terms(whole, joint_size(from.unreduced)), to);
  for (int device = 0; device < from.mesh.devices(); ++device)
    if (!(sum_along(to.unreduced, from.mesh, found, device) == expected[static_cast<std::size_t>(device)]))
      return fmt::format("device {} does not hold its block", device);
  return "";
}

std::string wrong_on_machine(const ReshardPlan& plan) {
  const std::string wrong = wrong_on_machine(plan, Taken::by_steps);
  return wrong.empty() ? wrong_on_machine(plan, Taken::at_once) : wrong;
}

}  // namespace tutti
