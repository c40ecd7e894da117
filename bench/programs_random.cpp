// SPDX-License-Identifier: Apache-2.0
// Random draws by one worker; bench/one_core_peer.py asks JAX on one core for the same. bench/rows.hpp says
// how they are asked for; the size is the number of elements.
#include "bench/rows.hpp"

namespace tutti::bench {
namespace {

template <class Draw>
auto compiled(const Draw& draw, const Key& from) {
  return open_local(one_device(), {.workers = 1}).compile([&](const Key& k) { return draw(k); }, from);
}

template <class T, class Draw>
Measure measured(const Draw& draw, double mean, double scale) {
  const Key from = key(42);
  auto run = compiled(draw, from);
  const double found = mean_size(run(from).template values<T>());
  check_close(found, mean, 0.01, scale, "the mean size of a draw");
  return
      [run, from, found] { return Json{{"us", microseconds_a_call([&] { run(from); })}, {"value", found}}; };
}

Measure of_bits(std::int64_t n) {
  return measured<std::uint32_t>([n](const Key& k) { return bits(k, {n}, DType::u32); }, 0x1p31, 0x1p31);
}
constexpr double mean_size_of_normal = 0.7978845608;  // sqrt(2 / pi)
Measure of_normal(std::int64_t n) {
  return measured<float>([n](const Key& k) { return normal(k, {n}, DType::f32); }, mean_size_of_normal, 1);
}

constexpr Row rows[] = {
    {"random_bits", of_bits},
    {"random_normal", of_normal},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
