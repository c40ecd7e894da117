// SPDX-License-Identifier: Apache-2.0
// Operations with regions, calls, and maps.
#include "tutti/base/require.hpp"
#include "tutti/control/flow/cond.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/top_k.hpp"
#include "tutti/read/maps/manual_computation.hpp"
#include "tutti/read/operation_rows.hpp"
#include "tutti/read/patterns/counted_loop.hpp"
#include "tutti/read/patterns/threefry.hpp"
#include "tutti/read/structure.hpp"

namespace tutti {

namespace {

Arrays while_read(const OpReader& op) {
  if (auto results = counted_loop(op)) return *results;
  Reading& reading = op.reading();
  const stablehlo::Block &condition = op.op().regions.at(0), &body = op.op().regions.at(1);
  const auto test = [&](const Arrays& carries) { return reading.block(condition, carries); };
  const auto iteration = [&](const Arrays& carries) { return reading.block(body, carries); };
  return while_flat({"while_loop", "the test", test, iteration, op.operands()}, op.where());
}

std::vector<InnerFunction> branches_of(const OpReader& op) {
  std::vector<InnerFunction> branches;
  for (const stablehlo::Block& region : op.op().regions)
    branches.push_back([&](const Arrays&) { return op.reading().block(region, {}); });
  return branches;
}

/// An index that is out of range takes the last branch, also a negative one.
Arrays case_read(const OpReader& op) {
  std::vector<InnerFunction> branches = branches_of(op);
  const Array& index = op.operand(0);
  const auto last = static_cast<std::int32_t>(branches.size()) - 1;
  const Array taken = front_end(op.op().name, op.where(), [&] {
    return select(Operand(index) < constant(std::int32_t{0}), constant(last), index);
  });
  return switch_flat({"switch_", "the index", Operand(taken, op.where()), std::move(branches), {}});
}

/// The first region is the one for true.
Arrays if_read(const OpReader& op) {
  std::vector<InnerFunction> branches = branches_of(op);
  std::swap(branches[0], branches[1]);
  return switch_flat({"cond", "the predicate", Operand(op.operand(0), op.where()), std::move(branches), {}});
}

const stablehlo::Function& function_of(const SourceModule& source, const stablehlo::Operation& op,
                                       std::string_view attribute) {
  const auto* name = find_as<stablehlo::Symbol>(op.attributes, attribute);
  require(name != nullptr, Code::text, "the attribute '{}' is missing; it names a function: @f", attribute);
  const stablehlo::Function* function = source.function(name->name);
  require(function != nullptr, Code::text, "there is no function @{}", name->name);
  return *function;
}

Arrays called(const OpReader& op, const stablehlo::Function& function) {
  require(function.body.argument_types.size() == op.operands().size(), Code::argument,
          "@{} takes {} arguments, the call has {}", function.name, function.body.argument_types.size(),
          op.operands().size());
  return op.reading().function(function, op.operands());
}

Arrays call_read(const OpReader& op) {
  const stablehlo::Function& function = function_of(op.reading().source(), op.op(), "callee");
  if (auto words = threefry_words(op, function)) return *words;
  return called(op, function);
}

/// composite_attributes = {k = 2 : i64}
Arrays top_k_composite(const OpReader& op) {
  const auto* entries = find_as<stablehlo::Dictionary>(op.op().attributes, "composite_attributes");
  const stablehlo::Attribute* k = entries ? find(entries->entries, "k") : nullptr;
  const auto* number = k ? std::get_if<stablehlo::Integer>(&k->value) : nullptr;
  require(number && op.operands().size() == 1, Code::text,
          "the composite chlo.top_k takes one array, and k in its composite_attributes");
  return front_end(op.op().name, op.where(), [&] {
    const TopKResult found = top_k(op.operand(0), number->value);
    return Arrays{found.values, found.indices};
  });
}

/// An operation of chlo is the function of that name; any other one is computed as its decomposition says.
Arrays composite_read(const OpReader& op) {
  const std::string name = op.word("name");
  if (name == "chlo.top_k") return top_k_composite(op);
  const OperationRow* row = name.starts_with("chlo.") ? row_of(name) : nullptr;
  if (row && row->read) {
    const auto wrong = error_of_operands(name, op.operands().size());
    require(!wrong, Code::text, "{} {}", name, wrong.value_or(""));
    return front_end(op.op().name, op.where(), [&] { return row->read(op); });
  }
  return called(op, function_of(op.reading().source(), op.op(), "decomposition"));
}

/// The two halves of a collective: the first one computes it.
Arrays async_start_read(const OpReader& op) {
  return op.reading().block(op.op().regions.at(0), op.operands());
}

Arrays same(const OpReader& op) { return op.operands(); }

std::string target_of(const stablehlo::Operation& op) {
  const auto* name = find_as<std::string>(op.attributes, "call_target_name");
  return name ? *name : "";
}

bool changes_nothing(std::string_view target) {
  return target == "annotate_device_placement" || target == "Sharding";
}

Arrays custom_call_read(const OpReader& op) {
  const std::string target = target_of(op.op());
  if (target == "ragged_all_to_all") return ragged_all_to_all_read(op);
  if (is_read_lapack_call(target)) return lapack_call_read(op, target);
  require(changes_nothing(target), Code::unsupported, "a call of @{}", target);
  return op.operands();
}

std::optional<Refusal> refusal_of_custom_call(const SourceModule&, const stablehlo::Operation& op) {
  const std::string target = target_of(op);
  if (target == "ragged_all_to_all" || changes_nothing(target) || is_read_lapack_call(target)) return {};
  if (target.starts_with("SPMD") || target == "xla.sdy.FuncResultSharding" || target.starts_with("xla.sdy"))
    return Refusal{"a call of @" + target, "export with Shardy: jax_use_shardy_partitioner"};
  if (target == "shape_assertion") return Refusal{"a call of @shape_assertion", "export with fixed shapes"};
  if (target.find("callback") != std::string::npos)
    return Refusal{"a call of @" + target, "leave callbacks and debug.print out"};
  if (target.find("lapack") != std::string::npos || target == "Qr" || target == "Eigh")
    return Refusal{"a call of @" + target, "compute it before, and pass the result"};
  return Refusal{"a call of @" + target, "lower for a platform that needs no library for it"};
}

std::optional<Refusal> refusal_of_call(const SourceModule& source, const stablehlo::Operation& op) {
  const auto* name = find_as<stablehlo::Symbol>(op.attributes, "callee");
  const stablehlo::Function* function = name ? source.function(name->name) : nullptr;
  if (function && function->is_declaration)
    return Refusal{"a call of @" + name->name + ", which has no body", "export the function, too"};
  return {};
}

using namespace forms;
constexpr OperationRow rows[] = {
    {"stablehlo.while", {0, -1, 2, as_operands, 0}, while_read, nullptr, true},
    {"stablehlo.case", {1, 1, -1, no_arguments, 0}, case_read, nullptr, true},
    {"stablehlo.if", {1, 1, 2, no_arguments, 0}, if_read, nullptr, true},
    {"func.call", any, call_read, refusal_of_call, true},
    {"stablehlo.composite", any, composite_read, nullptr, true},
    {"stablehlo.async_start", {0, -1, 1, as_operands, 0}, async_start_read, nullptr, true},
    {"stablehlo.async_done", one, same},
    {"stablehlo.custom_call", any, custom_call_read, refusal_of_custom_call},
    {"sdy.manual_computation", {0, -1, 1, as_operands, 0}, manual_computation_read, nullptr, true},
    {"sdy.sharding_constraint", one, same},
    {"sdy.reshard", one, same},
};

}  // namespace

OperationRows control_rows() { return rows; }

}  // namespace tutti
