// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tutti/base/overloaded.hpp"
#include "tutti/kernels/ir/asm_text.hpp"
#include "tutti/kernels/ir/text.hpp"
#include "tutti/kernels/ir/text_parts.hpp"

namespace tutti::kernels {
namespace {

template <class Enum>
int number(Enum value) {
  return static_cast<int>(value);
}

std::string atomic(Order order, Scope scope) {
  return fmt::format("scope = {} : i32, sem = {} : i32", number(scope), number(order));
}

std::string assembly(const AsmText& code) {
  return fmt::format("asm_string = {}, constraints = {}, packed_element = 1 : i32, pure = {}",
                     quoted(code.text), quoted(code.constraints), code.pure);
}

std::string policy(Cache cache) { return cache == Cache::none ? "" : "cachePolicy = " + cache_text(cache); }

/// Prints an op's own attributes, which stand between <{ and }>; most ops have none.
std::string properties(const Op& op) {
  return std::visit(Overloaded{
                        [](const GetProgramId&) { return std::string("axis = 0 : i32"); },
                        [](const GetNumPrograms&) { return std::string("axis = 0 : i32"); },
                        [](const MakeRange& range) {
                          return fmt::format("end = {} : i32, start = {} : i32", range.end, range.start);
                        },
                        [](const ExpandDims& expand) { return fmt::format("axis = {} : i32", expand.axis); },
                        [](const Reduce& reduce) { return fmt::format("axis = {} : i32", reduce.axis); },
                        [&](const Load& load) {
                          const std::string cache = policy(load.cache);
                          return fmt::format("{}{}operandSegmentSizes = array<i32: 1, {}, {}>", cache,
                                             cache.empty() ? "" : ", ", op.operands.size() > 1 ? 1 : 0,
                                             op.operands.size() > 2 ? 1 : 0);
                        },
                        [](const Store& store) { return policy(store.cache); },
                        [](const AtomicRmw& rmw) {
                          return fmt::format("atomic_rmw_op = {} : i32, {}", number(rmw.op),
                                             atomic(rmw.order, rmw.scope));
                        },
                        [](const AtomicCas& cas) { return atomic(cas.order, cas.scope); },
                        [](const AtomicStore& store) { return atomic(store.order, store.scope); },
                        [](const AtomicLoad& load) { return atomic(load.order, load.scope); },
                        [](const AtomicPoll& poll) { return atomic(poll.order, poll.scope); },
                        [](const ThreadId& id) { return assembly(asm_text(id)); },
                        [](const ThreadSignal& signal) { return assembly(asm_text(signal)); },
                        [](const ThreadWait& wait) { return assembly(asm_text(wait)); },
                        [](const BlockBarrier&) {
                          return fmt::format("addrSpace = {} : i32", every_address_space);
                        },
                        [](const Constant& constant) { return "value = " + constant_text(constant); },
                        [](const CompareInts& compare) {
                          return fmt::format("predicate = {} : i64", number(compare.predicate));
                        },
                        [](const CompareFloats& compare) {
                          return fmt::format("predicate = {} : i64", number(compare.predicate));
                        },
                        [](const auto&) { return std::string(); },
                    },
                    op.kind);
}

/// Prints the attributes that do not belong to the op's definition; they stand between { and }.
std::string discardable(const Function& function, const Op& op) {
  const auto own = [](Memory memory) {
    return memory == Memory::own ? fmt::format("{{{}}}", own_memory) : std::string();
  };
  return std::visit(Overloaded{
                        [&](const Load& load) { return own(load.memory); },
                        [&](const Store& store) { return own(store.memory); },
                        [&](const IntToPtr& made) {
                          return hint_text(made.divisibility, type_of(function, op.results.at(0)));
                        },
                        [](const auto&) { return std::string(); },
                    },
                    op.kind);
}

class GenericPrinter {
 public:
  explicit GenericPrinter(const Function& function) : function_(function) {}

  std::string module() const {
    std::string hints;
    std::vector<ValueType> types;
    std::vector<Value> values;
    for (const Argument& argument : function_.arguments) {
      const std::string hint = hint_text(argument.divisibility, argument.type);
      hints += (hints.empty() ? "" : ", ") + (hint.empty() ? "{}" : hint);
      types.push_back(argument.type);
      values.push_back(Value{static_cast<int>(values.size())});
    }
    return fmt::format(
        "\"builtin.module\"() ({{\n  \"tt.func\"() <{{{}function_type = ({}) -> (), sym_name = {}, "
        "sym_visibility = \"public\"}}> ({}) {{noinline = false}} : () -> ()\n}}) : () -> ()\n",
        hints.empty() ? "" : "arg_attrs = [" + hints + "], ", joined_types(types), quoted(function_.name),
        region(function_.body, values, 1));
  }

 private:
  std::string region(const Region& region, const std::vector<Value>& arguments, std::size_t depth) const {
    std::string text = "{\n";
    const std::string indent(2 * depth, ' ');
    if (!arguments.empty()) text += fmt::format("{}^bb0({}):\n", indent, with_types(function_, arguments));
    for (const Op& op : region.ops) text += indent + "  " + line(op, depth + 1) + "\n";
    return text + indent + "}";
  }

  std::string line(const Op& op, std::size_t depth) const {
    std::string text = op.results.empty() ? "" : joined_names(function_, op.results) + " = ";
    text += fmt::format("\"{}\"({})", op_name(op.kind), joined_names(function_, op.operands));
    if (const std::string own = properties(op); !own.empty()) text += " <{" + own + "}>";
    std::string regions;
    for (const Region& inner : op.regions)
      regions += (regions.empty() ? "" : ", ") + region(inner, inner.arguments, depth);
    if (!regions.empty()) text += " (" + regions + ")";
    if (const std::string others = discardable(function_, op); !others.empty()) text += " " + others;
    return text + " : " + signature(function_, op);
  }

  const Function& function_;
};

}  // namespace

std::string mlir_generic_text(const Function& function) { return GenericPrinter(function).module(); }

}  // namespace tutti::kernels
