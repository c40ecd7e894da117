// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/op.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <array>

#include "tutti/base/overloaded.hpp"
#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

// The names of the ops, in the order of OpKind. Arith and Convert have one name per operation instead.
constexpr std::array<std::string_view, std::variant_size_v<OpKind>> names{
    "tt.get_program_id",
    "tt.get_num_programs",
    "tt.make_range",
    "tt.splat",
    "tt.expand_dims",
    "tt.broadcast",
    "tt.reshape",
    "tt.addptr",
    "tt.int_to_ptr",
    "tt.ptr_to_int",
    "tt.bitcast",
    "tt.load",
    "tt.store",
    "tt.atomic_rmw",
    "tt.atomic_cas",
    "tt.atomic_store",
    "tt.atomic_load",
    "tt.atomic_poll",
    "tt.elementwise_inline_asm",
    "tt.elementwise_inline_asm",
    "tt.elementwise_inline_asm",
    "tt.reduce",
    "tt.reduce.return",
    "ttg.barrier",
    "arith.constant",
    "",
    "arith.cmpi",
    "arith.cmpf",
    "arith.select",
    "",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.yield",
    "scf.condition",
    "tt.return",
};
constexpr std::array<std::string_view, 21> arith_names{
    "arith.addi",  "arith.subi",     "arith.muli",     "arith.divui", "arith.divsi", "arith.remui",
    "arith.remsi", "arith.andi",     "arith.ori",      "arith.xori",  "arith.shli",  "arith.shrui",
    "arith.shrsi", "arith.minsi",    "arith.minui",    "arith.maxsi", "arith.maxui", "arith.addf",
    "arith.mulf",  "arith.maximumf", "arith.minimumf",
};
constexpr std::array<std::string_view, 5> convert_names{"arith.extsi", "arith.extui", "arith.trunci",
                                                        "arith.extf", "arith.truncf"};
constexpr std::array<std::string_view, 5> orders{"", "relaxed", "acquire", "release", "acq_rel"};
constexpr std::array<std::string_view, 4> scopes{"", "gpu", "cta", "sys"};
constexpr std::array<std::string_view, 8> caches{"", "none", "ca", "cg", "wb", "cs", "wt", "cv"};
constexpr std::array<std::string_view, 11> rmw_ops{"",    "and", "or",   "xor",  "add", "fadd",
                                                   "max", "min", "umax", "umin", "exch"};
constexpr std::array<std::string_view, 10> int_predicates{"eq",  "ne",  "slt", "sle", "sgt",
                                                          "sge", "ult", "ule", "ugt", "uge"};
constexpr std::array<std::string_view, 15> float_predicates{"",    "oeq", "ogt", "oge", "olt",
                                                            "ole", "one", "ord", "ueq", "ugt",
                                                            "uge", "ult", "ule", "une", "uno"};

}  // namespace

std::string_view op_name(const OpKind& kind) {
  return std::visit(
      Overloaded{[](const Arith& op) { return arith_names.at(static_cast<std::size_t>(op.op)); },
                 [](const Convert& op) { return convert_names.at(static_cast<std::size_t>(op.op)); },
                 [&](const auto&) { return names.at(kind.index()); }},
      kind);
}

std::string_view to_string(Order order) { return orders.at(static_cast<std::size_t>(order)); }
std::string_view to_string(Scope scope) { return scopes.at(static_cast<std::size_t>(scope)); }
std::string_view to_string(Cache cache) { return caches.at(static_cast<std::size_t>(cache)); }
std::string_view to_string(RmwOp op) { return rmw_ops.at(static_cast<std::size_t>(op)); }
std::string_view to_string(IntPredicate predicate) {
  return int_predicates.at(static_cast<std::size_t>(predicate));
}
std::string_view to_string(FloatPredicate predicate) {
  return float_predicates.at(static_cast<std::size_t>(predicate));
}

const ValueType& type_of(const Function& function, Value value) {
  ensure(value.id >= 0 && value.id < static_cast<int>(function.types.size()),
         "kernel {}: there is no value {}; take values from the builder of this kernel", function.name,
         value.id);
  return function.types[static_cast<std::size_t>(value.id)];
}

std::vector<ValueType> types_of(const Function& function, const std::vector<Value>& values) {
  std::vector<ValueType> types;
  for (Value value : values) types.push_back(type_of(function, value));
  return types;
}

std::string value_name(const Function& function, Value value) {
  const auto id = static_cast<std::size_t>(value.id);
  if (value.id >= 0 && id < function.arguments.size()) return "%" + function.arguments[id].name;
  return fmt::format("%{}", value.id);
}

std::string label(const Function& function, const Op& op) {
  const std::string name(op_name(op.kind));
  return op.operands.empty() ? name : name + " " + value_name(function, op.operands.front());
}

}  // namespace tutti::kernels
