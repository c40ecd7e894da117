// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/control.hpp"

#include <fmt/core.h>

#include <span>

#include "tutti/base/overloaded.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/ptx/accesses.hpp"
#include "tutti/kernels/ptx/expressions.hpp"
#include "tutti/kernels/ptx/shared.hpp"

namespace tutti::kernels {
namespace {

using Registers = std::vector<std::string>;  // one per held element

std::string_view move(RegisterKind kind) {
  switch (kind) {
    case RegisterKind::predicate: return "mov.pred";
    case RegisterKind::b16: return "mov.b16";
    case RegisterKind::b32: return "mov.b32";
    case RegisterKind::b64: break;
  }
  return "mov.b64";
}

class Control {
 public:
  Control(ThreadValues& values, PtxTarget target) : v_(values), out_(values.out), target_(target) {}

  void write(const Region& region) {
    for (const Op& op : region.ops) {
      if (!is_expression(op.kind)) write(op);
      else if (!is_tensor(v_.type(op.results[0]))) v_.held(op.results[0], 0);
    }
  }

 private:
  void write(const Op& op) {
    std::visit(Overloaded{
                   [&](const Load& kind) { write_load(v_, op, kind); },
                   [&](const Store& kind) { write_store(v_, op, kind); },
                   [&](const AtomicRmw& kind) { write_rmw(v_, op, kind, target_); },
                   [&](const AtomicCas& kind) { write_cas(v_, op, kind); },
                   [&](const AtomicStore& kind) { write_atomic_store(v_, op, kind); },
                   [&](const AtomicLoad& kind) { write_atomic_load(v_, op, kind); },
                   [&](const AtomicPoll& kind) { write_poll(v_, op, kind); },
                   [&](const ThreadSignal& kind) { write_thread_signal(v_, op, kind); },
                   [&](const ThreadWait& kind) { write_thread_wait(v_, op, kind); },
                   [&](const Reduce&) { write_reduce(v_, op); },
                   [&](const BlockBarrier&) { out_.line("bar.sync 0"); }, [&](const For&) { write_for(op); },
                   [&](const If&) { write_if(op); }, [&](const While&) { write_while(op); },
                   [](const auto&) {},  // terminators: the op that has the region reads them
               },
               op.kind);
  }

  void jump(std::string_view predicate, std::string_view to, bool is_uniform) {
    out_.line_if(predicate, fmt::format("{} {}", is_uniform ? "bra.uni" : "bra", to));
  }

  std::vector<Registers> fresh_like(std::span<const Value> values) {
    std::vector<Registers> all(values.size());
    for (std::size_t k = 0; k < values.size(); ++k)
      for (int i = 0; i < v_.layout(values[k]).held(); ++i) all[k].push_back(out_.fresh(v_.kind(values[k])));
    return all;
  }

  void define(std::span<const Value> values, const std::vector<Registers>& registers) {
    for (std::size_t k = 0; k < values.size(); ++k)
      for (std::size_t i = 0; i < registers[k].size(); ++i)
        v_.define(values[k], static_cast<int>(i), {registers[k][i]});
  }

  void assign(std::span<const Value> values, const std::vector<Registers>& registers) {
    for (std::size_t k = 0; k < values.size(); ++k)
      for (std::size_t i = 0; i < registers[k].size(); ++i) {
        const std::string from = v_.operand(values[k], static_cast<int>(i));
        if (from != registers[k][i])
          out_.line(fmt::format("{} {}, {}", move(v_.kind(values[k])), registers[k][i], from));
      }
  }

  /// Assigns all values at once, through fresh registers: a value may be a register that is assigned earlier.
  void assign_all(std::span<const Value> values, const std::vector<Registers>& registers) {
    if (values.empty()) return;
    const std::vector<Registers> copies = fresh_like(values);
    assign(values, copies);
    for (std::size_t k = 0; k < values.size(); ++k)
      for (std::size_t i = 0; i < registers[k].size(); ++i)
        out_.line(fmt::format("{} {}, {}", move(v_.kind(values[k])), registers[k][i], copies[k][i]));
  }

  void write_for(const Op& op) {
    const std::span<const Value> initial = std::span(op.operands).subspan(3);
    const Region& body = op.regions[0];
    const std::span<const Value> arguments = body.arguments;
    const bool is_wide = v_.kind(op.operands[0]) == RegisterKind::b64;
    const std::string limit = v_.reg(op.operands[1], 0), step = v_.reg(op.operands[2], 0);
    const std::string index =
        out_.made(v_.kind(op.operands[0]), is_wide ? "mov.b64" : "mov.b32", {v_.operand(op.operands[0], 0)});
    const std::vector<Registers> carried = fresh_like(initial);
    assign(initial, carried);
    const std::string loop = out_.fresh_label(), done = out_.fresh_label();
    const std::string type = is_wide ? "s64" : "s32";
    jump(out_.made(RegisterKind::predicate, "setp.ge." + type, {index, limit}), done, true);
    out_.label(loop);
    v_.enter();
    define(arguments.first(1), {{index}});
    define(arguments.subspan(1), carried);
    write(body);
    assign_all(body.ops.back().operands, carried);
    v_.leave();
    out_.line(fmt::format("add.{} {}, {}, {}", type, index, index, step));
    jump(out_.made(RegisterKind::predicate, "setp.lt." + type, {index, limit}), loop, true);
    out_.label(done);
    define(op.results, carried);
  }

  void write_branch(const Region& region, const std::vector<Registers>& results) {
    if (region.ops.empty()) return;
    v_.enter();
    write(region);
    assign(region.ops.back().operands, results);
    v_.leave();
  }

  void write_if(const Op& op) {
    const Value condition = op.operands[0];
    const bool is_uniform = !v_.differs(condition), has_else = !op.regions[1].ops.empty();
    const std::vector<Registers> results = fresh_like(op.results);
    const std::string otherwise = out_.fresh_label();
    jump("!" + v_.reg(condition, 0), otherwise, is_uniform);
    write_branch(op.regions[0], results);
    if (has_else) {
      const std::string done = out_.fresh_label();
      jump("", done, is_uniform);
      out_.label(otherwise);
      write_branch(op.regions[1], results);
      out_.label(done);
    } else {
      out_.label(otherwise);
    }
    define(op.results, results);
  }

  void write_while(const Op& op) {
    const std::vector<Registers> carried = fresh_like(op.operands), passed = fresh_like(op.results);
    assign(op.operands, carried);
    const Region &test = op.regions[0], &body = op.regions[1];
    const std::string loop = out_.fresh_label(), done = out_.fresh_label();
    out_.label(loop);
    v_.enter();
    define(test.arguments, carried);
    write(test);
    const std::span<const Value> tested = test.ops.back().operands;
    assign(tested.subspan(1), passed);
    const std::string condition = v_.reg(tested[0], 0);
    v_.leave();
    jump("!" + condition, done, true);
    v_.enter();
    define(body.arguments, passed);
    write(body);
    assign(body.ops.back().operands, carried);
    v_.leave();
    jump("", loop, true);
    out_.label(done);
    define(op.results, passed);
  }

  ThreadValues& v_;
  PtxWriter& out_;
  const PtxTarget target_;
};

}  // namespace

void write_region(ThreadValues& values, const Region& region, PtxTarget target) {
  Control(values, target).write(region);
}

}  // namespace tutti::kernels
