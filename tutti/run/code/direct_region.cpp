// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tutti/run/code/region_walk.hpp"

namespace tutti {
namespace {

using I = RegionInstruction;
using region::Call;
using region::each_row;
using region::pointer;
using region::Tile;
using region::walk;
constexpr std::size_t most_direct_calls = 64;

struct DirectRunner {
  const DirectCall& call;

  void operator()(const I::Elementwise& of) const { of.kernel(call.out, call.in, call.n); }
  void operator()(const I::Chain& of) const {
    of.kernel(call.out, call.in, call.steps, call.operands, call.n, Store::plain);
  }
  void operator()(const I::ChainRows& of) const {
    of.kernel(call.out, call.in, call.row_bytes, call.steps, call.operands, call.n, call.columns);
  }
  void operator()(const DirectCall::Fold& of) const {
    of.kernel(call.out, of.terms.data(), static_cast<int>(of.terms.size()), call.n, Load::plain,
              Store::plain);
  }
  void operator()(const I::Rows& of) const {
    of.kernel(call.out, call.in[0], call.n, call.columns, call.row_bytes[0]);
  }
};

}  // namespace

void DirectRegion::run(const WorkerStep&, StepContext&) const {
  for (const DirectCall& call : calls) std::visit(DirectRunner{call}, call.what);
}

void DirectRegion::touch(const WorkerStep&, StepContext&, const OnTouched& on_touched) const {
  std::size_t next = 0;
  for (const DirectCall& call : calls) {
    auto length = [&](std::int64_t elements) {
      const Access& of = accesses[next++];
      return (of.repeats ? 1 : elements) * of.element_bytes;
    };
    auto touch = [&](const std::byte* at, std::int64_t bytes, bool written) {
      auto begin = reinterpret_cast<std::uintptr_t>(at);
      if (bytes > 0) on_touched({begin, begin + static_cast<std::uintptr_t>(bytes), written});
    };
    touch(call.out, length(call.n), true);
    if (std::holds_alternative<I::Rows>(call.what) || std::holds_alternative<I::ChainRows>(call.what)) {
      for (int j = 0; j < call.operands; ++j) {
        const std::int64_t bytes = length(call.columns);
        for (std::int64_t r = 0; r < call.n; ++r) touch(call.in[j] + r * call.row_bytes[j], bytes, false);
      }
      continue;
    }
    if (const auto* fold = std::get_if<DirectCall::Fold>(&call.what)) {
      const std::int64_t bytes = length(call.n);
      for (const std::byte* term : fold->terms) touch(term, bytes, false);
      continue;
    }
    for (int j = 0; j < call.operands; ++j) touch(call.in[j], length(call.n), false);
  }
}

namespace {

/// `at` plus `bytes`, without pointer arithmetic: the address of a caller's buffer may not be known yet.
std::byte* further(std::byte* at, std::int64_t bytes) {
  return pointer(reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(bytes));
}

/// The kernel of an instruction that can be direct; none for other instructions.
std::optional<decltype(DirectCall::what)> direct_kernel(const RegionInstruction& i) {
  if (const auto* of = i.as<I::Elementwise>()) return *of;
  if (const auto* of = i.as<I::Chain>()) return *of;
  if (const auto* of = i.as<I::ChainRows>()) return *of;
  if (const auto* of = i.as<I::Rows>()) return *of;
  if (const auto* of = i.as<I::Fold>()) return DirectCall::Fold{of->kernel, {}};
  return std::nullopt;
}

DirectCall direct_call(const RegionCode& code, const Call& call, const Tile& tile) {
  const RegionInstruction& i = call.instruction;
  DirectCall made{};
  made.what = *direct_kernel(i);
  made.operands = i.inputs();
  made.out = pointer(call.out);
  made.n = call.n;
  made.columns = tile.columns;
  for (std::size_t j = 0; j < std::size(i.in); ++j) made.row_bytes[j] = code.refs[i.in[j]].row_stride;
  std::ranges::copy(i.steps, made.steps);
  auto* fold = std::get_if<DirectCall::Fold>(&made.what);
  for (int j = 0; j < made.operands; ++j)
    if (fold) fold->terms.push_back(pointer(call.in[j]));
    else made.in[j] = pointer(call.in[j]);
  return made;
}

std::int64_t element_bytes(const RegionCode& code, RefId ref) { return code.refs[ref].element_bytes; }

bool can_be_direct(const RegionCode& code, const WorkerStep& step) {
  auto is_indirect = [](const RegionInstruction& i) { return !direct_kernel(i); };
  if (code.streams || !code.once.empty() || std::ranges::any_of(code.code, is_indirect)) return false;
  std::int64_t tiles = (step.unit_end - step.unit_begin) * (step.tile_end - step.tile_begin);
  return tiles * static_cast<std::int64_t>(code.code.size()) <= static_cast<std::int64_t>(most_direct_calls);
}

/// Extends `last` by `next`, a call of the same instruction at the next position along inner axes. False if
/// their operands and results are not contiguous.
bool lengthen(const RegionCode& code, const RegionInstruction& i, DirectCall& last, const DirectCall& next) {
  if (!i.goes_through_elements()) return false;
  bool follows = next.out == further(last.out, last.n * element_bytes(code, i.out));
  for (int j = 0; j < i.operands && follows; ++j)
    follows = !i.steps[j].reads_operand() ||
              next.in[j] == (i.steps[j].repeats ? last.in[j]
                                                : further(last.in[j], last.n * element_bytes(code, i.in[j])));
  if (follows) last.n += next.n;
  return follows;
}

/// Reports the addresses of `call`, whose place in direct.calls is final, to `relocate`, and adds how the
/// call goes through its memory.
void settle(const RegionCode& code, const RegionInstruction& i, DirectCall& call, DirectRegion& direct,
            const OnRelocated& relocate) {
  auto tell = [&](std::byte** at, RefId r) {
    const RegionRef& ref = code.refs[r];
    if (ref.base == scratch_base) return;
    relocate(at, *code.base_buffers[ref.base], *at - code.bases[ref.base]);
  };
  tell(&call.out, i.out);
  direct.accesses.push_back({element_bytes(code, i.out)});
  auto* fold = std::get_if<DirectCall::Fold>(&call.what);
  if (fold)
    for (std::byte*& term : fold->terms) tell(&term, i.in[0]);
  for (int j = 0; j < (fold ? 1 : call.operands); ++j) {
    if (!fold) tell(&call.in[j], i.in[j]);
    direct.accesses.push_back({element_bytes(code, i.in[j]), i.steps[j].repeats});
  }
}

}  // namespace

bool make_direct(const RegionCode& code, const WorkerStep& step, std::byte* scratch, DirectRegion& direct,
                 const OnRelocated& relocate) {
  if (!can_be_direct(code, step)) return false;
  std::vector<const RegionInstruction*> instructions;  // one per call
  std::vector<std::uintptr_t> frame;
  const auto add = [&](const Call& call, const Tile& tile) {
    const RegionInstruction& i = call.instruction;
    DirectCall made = direct_call(code, call, tile);
    if (!direct.calls.empty() && instructions.back() == &i && lengthen(code, i, direct.calls.back(), made))
      return;
    direct.calls.push_back(std::move(made));
    instructions.push_back(&i);
  };
  walk(code, code.code, step, scratch, frame, [&](const Call& call, const Tile& tile) {
    each_row(code, call, [&](const Call& row) { add(row, tile); });
  });
  if (direct.calls.size() > 4 * most_direct_calls) return false;
  for (std::size_t c = 0; c < direct.calls.size(); ++c)
    settle(code, *instructions[c], direct.calls[c], direct, relocate);
  return true;
}

}  // namespace tutti
