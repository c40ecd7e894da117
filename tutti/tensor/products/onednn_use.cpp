// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/onednn_use.hpp"
#include "tutti/base/inside.hpp"

#include <cstdint>
#include <dnnl.hpp>

#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"

namespace tutti {
namespace {

enum class Step { cache };

/// oneDNN's cache of primitives, which every primitive uses, is made before main(): no exit() can come
/// between it and what closes the gate.
[[gnu::constructor]] void make_cache() noexcept {
  int capacity = 0;
  (void)dnnl_get_primitive_cache_capacity(&capacity);
  close_before_statics_made_until<Step::cache>();
}

}  // namespace

std::byte* aligned_for_onednn(std::byte* scratch) {
  const auto address = reinterpret_cast<std::uintptr_t>(scratch);
  return scratch + (onednn_scratch_alignment - address % onednn_scratch_alignment) % onednn_scratch_alignment;
}

ExitGate& onednn_gate() {
  static NeverDestroyed<ExitGate> gate;
  return *gate;
}

void make_with_room(const std::string& described, const std::function<void()>& make) {
  // oneDNN 2.6 does not check that it got memory for its code. The code of one product takes up to 8 MiB: 32
  // kernels of 256 KiB (brgemm_matmul). Without AVX-512 the first call takes 7 MiB (measured). The rest is
  // slack.
  constexpr std::size_t most_bytes = 16 << 20;
  const auto lacks_memory = [&] {
    fail(Code::memory,
         "no memory for {}: oneDNN takes up to {} MiB for its code; free some, or raise the limit on address "
         "space (ulimit -v)",
         described, most_bytes >> 20);
  };
  if (!has_room(most_bytes)) lacks_memory();
  try {
    make();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory || !has_room(most_bytes)) lacks_memory();
    fail(Code::internal, "oneDNN cannot make {}: {}", described, error.what());
  }
}

void fail_in_onednn(const std::string& described, int status) {
  require(status != dnnl_out_of_memory, Code::memory,
          "no memory for oneDNN to compute {}; free some, or raise the limit on address space (ulimit -v)",
          described);
  fail(Code::internal, "oneDNN cannot compute {}: status {}", described, status);
}

}  // namespace tutti
