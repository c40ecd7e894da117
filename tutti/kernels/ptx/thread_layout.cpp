// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/thread_layout.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/kernels/ptx/visit_ops.hpp"
#include "tutti/kernels/spec/constants.hpp"

namespace tutti::kernels {
namespace {

constexpr std::int64_t most_held = 256;  // elements per thread; four unrolled vectors of bytes are 64

/// Returns, per number of elements of a tensor, the bits of the narrowest type that is loaded or stored.
std::map<std::int64_t, int> narrowest_payloads(const Function& function) {
  std::map<std::int64_t, int> narrowest;
  for_each_op(function.body, [&](const Op& op) {
    if (!std::holds_alternative<Load>(op.kind) && !std::holds_alternative<Store>(op.kind)) return;
    const ValueType& pointer = type_of(function, op.operands[0]);
    const auto entry = narrowest.emplace(elements_of(pointer.dims), bits(pointer.scalar)).first;
    entry->second = std::min(entry->second, bits(pointer.scalar));
  });
  return narrowest;
}

}  // namespace

std::int64_t ThreadLayout::first(int held) const {
  return std::int64_t{held / vector} * threads * vector + held % vector;
}

std::map<std::int64_t, ThreadLayout> thread_layouts(const Function& function, int threads) {
  const auto narrowest = narrowest_payloads(function);
  std::map<std::int64_t, ThreadLayout> layouts;
  for (const ValueType& type : function.types) {
    const std::int64_t n = elements_of(type.dims);
    if (layouts.contains(n)) continue;
    const std::int64_t held = std::max<std::int64_t>(n / threads, 1);
    require(held <= most_held, Code::argument,
            "kernel {}: {} has {} elements for each of {} threads; more than {} do not fit its registers: "
            "use smaller tiles or more warps",
            function.name, type, held, threads, most_held);
    const auto payload = narrowest.find(n);
    const int width = payload == narrowest.end() ? 32 : std::max(payload->second, 8);
    const int vector = std::min(static_cast<int>(held), alignment_bytes * 8 / width);
    layouts.emplace(n, ThreadLayout{n, threads, vector, static_cast<int>(held) / vector});
  }
  return layouts;
}

}  // namespace tutti::kernels
