// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <tutti/tutti.hpp>

#include "second_difference.hpp"
using namespace tutti;

// One step of heat along each row.
Array step(const Array& heat) { return heat + 0.25f * rod::second_difference(heat); }
Array warmth(const Array& heat) { return psum(reduce_sum(square(step(heat))), "rods"); }

int main() {
  Machine machine = open_local(Mesh({{"rods", 2}}));
  Array heat = Tensor({2, 4}, {0.f, 8.f, 0.f, 0.f, 4.f, 0.f, 0.f, 4.f});
  auto on_rods = [&](auto f, const Specs& out) {
    return shard_map(f, {.mesh = machine.mesh(), .in = P("rods"), .out = out});
  };
  auto next = machine.compile(on_rods(step, P("rods")), heat);
  auto slope = machine.compile(grad(on_rods(warmth, P())), heat);
  std::printf("%s\n%s\n", to_string(next(heat)).c_str(), to_string(slope(heat)).c_str());
}
