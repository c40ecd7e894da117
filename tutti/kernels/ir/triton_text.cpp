// SPDX-License-Identifier: Apache-2.0
// Prints ops as Triton 3.9.0 does.
#include <fmt/format.h>

#include "tutti/kernels/ir/asm_text.hpp"
#include "tutti/kernels/ir/text.hpp"
#include "tutti/kernels/ir/text_parts.hpp"

namespace tutti::kernels {
namespace {

/// Prints ops and their regions. Each overload of line() prints one kind of op, without its "%result = ".
class Printer {
 public:
  explicit Printer(const Function& function) : function_(function) {}

  std::string module() {
    std::string arguments;
    for (std::size_t i = 0; i < function_.arguments.size(); ++i) {
      const Argument& argument = function_.arguments[i];
      const std::string hint = hint_text(argument.divisibility, argument.type);
      arguments += fmt::format("{}%{}: {}{}{}", i == 0 ? "" : ", ", argument.name, to_string(argument.type),
                               hint.empty() ? "" : " ", hint);
    }
    return fmt::format("module {{\n  tt.func public @{}({}) attributes {{noinline = false}} {}\n}}\n",
                       function_.name, arguments, block(function_.body, 2));
  }

 private:
  std::string block(const Region& region, int depth) {
    std::string lines = "{\n";
    for (const Op& op : region.ops) {
      lines += std::string(2 * static_cast<std::size_t>(depth), ' ');
      if (!op.results.empty()) lines += joined_names(function_, op.results) + " = ";
      depth_ = depth;
      op_ = &op;
      lines += std::visit([&](const auto& kind) { return line(kind); }, op.kind) + "\n";
    }
    return lines + std::string(2 * static_cast<std::size_t>(depth - 1), ' ') + "}";
  }

  std::string line(const GetProgramId&) const { return "tt.get_program_id x : i32"; }
  std::string line(const GetNumPrograms&) const { return "tt.get_num_programs x : i32"; }
  std::string line(const MakeRange& op) const {
    return fmt::format("tt.make_range {{end = {} : i32, start = {} : i32}} : {}", op.end, op.start,
                       results());
  }
  std::string line(const ExpandDims& op) const {
    return becomes(fmt::format(" {{axis = {} : i32}}", op.axis));
  }
  std::string line(const Splat&) const { return becomes(); }
  std::string line(const Broadcast&) const { return becomes(); }
  std::string line(const Reshape&) const { return becomes(); }
  std::string line(const PtrToInt&) const { return becomes(); }
  std::string line(const Bitcast&) const { return becomes(); }
  std::string line(const AddPtr&) const { return operands() + " : " + types(); }
  std::string line(const IntToPtr& op) const {
    const std::string hint = hint_text(op.divisibility, type_of(function_, op_->results[0]));
    return becomes(hint.empty() ? "" : " " + hint);
  }

  std::string line(const Load& op) const { return access(op.memory, op.cache); }
  std::string line(const Store& op) const { return access(op.memory, op.cache); }
  std::string line(const AtomicRmw& op) const {
    return atomic(std::string(to_string(op.op)) + ", ", op.order, op.scope) + " : " +
           signature(function_, *op_);
  }
  std::string line(const AtomicCas& op) const {
    return atomic("", op.order, op.scope) + " : " + signature(function_, *op_);
  }
  std::string line(const AtomicStore& op) const {
    return atomic("", op.order, op.scope) + " : " + first_type();
  }
  std::string line(const AtomicLoad& op) const {
    return atomic("", op.order, op.scope) + " : " + signature(function_, *op_);
  }
  std::string line(const AtomicPoll& op) const {
    const std::vector<Value>& in = op_->operands;
    const std::string timeout = in.size() == 3 ? " timeout " + value_name(function_, in[2]) : "";
    return fmt::format("tt.atomic_poll {}, {}, {}{} : {} -> {}", to_string(op.order), to_string(op.scope),
                       joined_names(function_, {in[0], in[1]}), timeout,
                       joined_types(function_, {in[0], in[1]}), results());
  }

  std::string line(const ThreadId& op) const { return assembly(asm_text(op)); }
  std::string line(const ThreadSignal& op) const { return assembly(asm_text(op)); }
  std::string line(const ThreadWait& op) const { return assembly(asm_text(op)); }
  std::string assembly(const AsmText& code) const {
    const std::string inputs = op_->operands.empty() ? "" : fmt::format(" {} : {}", values(), types());
    return fmt::format(
        "tt.elementwise_inline_asm {} {{constraints = {}, packed_element = 1 : i32, pure = {}}}{} -> {}",
        quoted(code.text), quoted(code.constraints), code.pure, inputs, results());
  }
  std::string line(const Reduce& op) {
    const Op& reduce = *op_;
    const int depth = depth_;
    std::string inside = block(reduce.regions[0], depth + 1);
    inside.insert(2, header(reduce.regions[0], depth));
    return fmt::format("\"tt.reduce\"({}) <{{axis = {} : i32}}> ({}) : {}",
                       joined_names(function_, reduce.operands), op.axis, inside,
                       signature(function_, reduce));
  }
  std::string line(const ReduceReturn&) const { return operands() + " : " + types(); }
  std::string line(const BlockBarrier&) const { return "ttg.barrier all"; }

  std::string line(const Constant& op) const { return "arith.constant " + constant_text(op); }
  std::string line(const Arith&) const { return operands() + " : " + first_type(); }
  std::string line(const CompareInts& op) const { return compared(to_string(op.predicate)); }
  std::string line(const CompareFloats& op) const { return compared(to_string(op.predicate)); }
  std::string line(const Select&) const {
    const bool by_element = is_tensor(type_of(function_, op_->operands[0]));
    return operands() + " : " + (by_element ? first_type() + ", " : "") + results();
  }
  std::string line(const Convert&) const { return operands() + " : " + types() + " to " + results(); }

  std::string line(const For&) {
    const Op& loop = *op_;
    const std::vector<Value>& in = loop.operands;
    const Region& region = loop.regions[0];
    std::string carried;
    for (std::size_t i = 0; i < loop.results.size(); ++i)
      carried += fmt::format("{}{} = {}", i == 0 ? "" : ", ", value_name(function_, region.arguments[i + 1]),
                             value_name(function_, in[i + 3]));
    if (!carried.empty()) carried = fmt::format("iter_args({}) -> ({}) ", carried, results());
    const std::string head =
        fmt::format("scf.for {} = {} to {} step {} {} : {} ", value_name(function_, region.arguments[0]),
                    value_name(function_, in[0]), value_name(function_, in[1]), value_name(function_, in[2]),
                    carried, first_type());
    return head + block(region, depth_ + 1);
  }
  std::string line(const If&) {
    const Op& branch = *op_;
    const int depth = depth_;
    std::string text = "scf.if " + values() + (branch.results.empty() ? " " : " -> (" + results() + ") ");
    text += block(branch.regions[0], depth + 1);
    return branch.regions[1].ops.empty() ? text : text + " else " + block(branch.regions[1], depth + 1);
  }
  std::string line(const While&) {
    const Op& loop = *op_;
    const int depth = depth_;
    std::string carried;
    for (std::size_t i = 0; i < loop.operands.size(); ++i)
      carried +=
          fmt::format("{}{} = {}", i == 0 ? "" : ", ", value_name(function_, loop.regions[0].arguments[i]),
                      value_name(function_, loop.operands[i]));
    if (!carried.empty()) carried = " (" + carried + ")";
    std::string text = fmt::format("scf.while{} : {} ", carried, signature(function_, loop));
    text += block(loop.regions[0], depth + 1) + " do ";
    std::string body = block(loop.regions[1], depth + 1);
    if (!loop.operands.empty()) body.insert(2, header(loop.regions[1], depth));
    return text + body;
  }
  std::string line(const Yield&) const {
    return op_->operands.empty() ? name() : operands() + " : " + types();
  }
  std::string line(const Condition&) const {
    const std::vector<Value> carried(op_->operands.begin() + 1, op_->operands.end());
    std::string text = fmt::format("scf.condition({})", value_name(function_, op_->operands[0]));
    if (carried.empty()) return text;
    return fmt::format("{} {} : {}", text, joined_names(function_, carried),
                       joined_types(function_, carried));
  }
  std::string line(const Return&) const { return name(); }

  std::string header(const Region& region, int depth) const {
    return fmt::format("{}^bb0({}):\n", std::string(2 * static_cast<std::size_t>(depth), ' '),
                       with_types(function_, region.arguments));
  }

  std::string name() const { return std::string(op_name(op_->kind)); }
  std::string values() const { return joined_names(function_, op_->operands); }
  std::string operands() const { return name() + " " + values(); }
  std::string types() const { return joined_types(function_, op_->operands); }
  std::string results() const { return joined_types(function_, op_->results); }
  std::string first_type() const { return to_string(type_of(function_, op_->operands[0])); }
  std::string becomes(std::string_view attributes = "") const {
    return fmt::format("{}{} : {} -> {}", operands(), attributes, types(), results());
  }
  std::string compared(std::string_view predicate) const {
    return fmt::format("{} {}, {} : {}", name(), predicate, values(), first_type());
  }
  std::string access(Memory memory, Cache cache) const {
    std::string attributes = cache == Cache::none ? "" : "cachePolicy = " + cache_text(cache);
    if (memory == Memory::own) attributes += (attributes.empty() ? "" : ", ") + std::string(own_memory);
    return operands() + (attributes.empty() ? "" : " {" + attributes + "}") + " : " + first_type();
  }
  std::string atomic(std::string_view op, Order order, Scope scope) const {
    return fmt::format("{} {}{}, {}, {}", name(), op, to_string(order), to_string(scope), values());
  }

  const Function& function_;
  const Op* op_ = nullptr;  // the op whose line is being written
  int depth_ = 0;           // of its block
};

}  // namespace

std::string triton_text(const Function& function) { return Printer(function).module(); }

}  // namespace tutti::kernels
