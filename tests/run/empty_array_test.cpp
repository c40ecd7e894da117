// SPDX-License-Identifier: Apache-2.0
// Machine::empty: the caller writes the blocks where programs read them.
#include "tutti/run/empty_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/many_processes.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"a", 2}, {"b", 2}});

Machine machine() { return open_local(mesh); }

TEST(empty_array, has_the_elements_that_were_written_to_its_blocks) {
  const Machine local = machine();
  EmptyArray made = local.empty({4, 6}, DType::f32, P("a", "b"));
  EXPECT_EQ(made.shard_shape(), (Shape{2, 3}));
  for (int device = 0; device < 4; ++device) {
    std::span<float> block = made.shard_span<float>(device);
    ASSERT_EQ(block.size(), 6U);
    std::iota(block.begin(), block.end(), 10.0f * static_cast<float>(device));
  }
  const Array x = std::move(made).array();
  EXPECT_EQ(x.tensor(),
            Tensor({4, 6}, {0.f,  1.f,  2.f,  10.f, 11.f, 12.f, 3.f,  4.f,  5.f,  13.f, 14.f, 15.f,
                            20.f, 21.f, 22.f, 30.f, 31.f, 32.f, 23.f, 24.f, 25.f, 33.f, 34.f, 35.f}));
}

TEST(empty_array, holds_zeros_that_nobody_wrote) {
  const Array x = machine().empty({4}, DType::i32, P("a")).array();
  EXPECT_EQ(x.tensor(), Tensor({4}, {0, 0, 0, 0}));
}

TEST(empty_array, gives_devices_that_hold_one_block_one_memory) {
  EmptyArray made = machine().empty({4}, DType::f32, P("a"));
  EXPECT_EQ(made.shard_span<float>(0).data(), made.shard_span<float>(1).data());
  EXPECT_NE(made.shard_span<float>(1).data(), made.shard_span<float>(2).data());
}

TEST(empty_array, is_read_in_place_and_written_over_when_it_is_given_away) {
  for (const std::int64_t n : {64, 1 << 16}) {  // blocks without and with a gap between them
    const Machine local = machine();
    const auto body = shard_map([](const Array& x) { return x * 2.0; },
                                {.mesh = mesh, .in = P(SpecEntry{"a", "b"}), .out = P(SpecEntry{"a", "b"})});
    EmptyArray made = local.empty({n}, DType::f32, P(SpecEntry{"a", "b"}));
    for (int device = 0; device < 4; ++device)
      std::ranges::fill(made.shard_span<float>(device), static_cast<float>(device + 1));
    const std::byte* const first = reinterpret_cast<std::byte*>(made.shard_span<float>(0).data());
    Array x = std::move(made).array();
    const auto run = local.compile(body, x);
    x = run(std::move(x));
    EXPECT_EQ(x.data()->buffer().base.get(), first) << n;
    EXPECT_EQ(x.values<float>().back(), 8.0f);
    EXPECT_NE(run.explain().find("copied into place: 0 B by 1 call"), std::string::npos) << run.explain();
  }
}

TEST(empty_array, has_the_blocks_of_its_own_process_alone) {
  on_machines(mesh, {.count = 2}, [](const Machine& local) {
    EmptyArray made = local.empty({8}, DType::f32, P(SpecEntry{"a", "b"}));
    for (int device = 0; device < 4; ++device) {
      if (local.backend().drives(device)) {
        std::ranges::fill(made.shard_span<float>(device), static_cast<float>(device));
        continue;
      }
      try {
        made.shard_span<float>(device);
        ADD_FAILURE() << "device " << device << " is another process's";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::device);
      }
    }
    const Array x = std::move(made).array();
    const auto sum = local.compile(shard_map([](const Array& a) { return psum(a, {"a", "b"}); },
                                             {.mesh = mesh, .in = P(SpecEntry{"a", "b"}), .out = P()}),
                                   x);
    EXPECT_EQ(sum(x).values<float>(), (std::vector<float>{6, 6}));
    EXPECT_NE(sum.explain().find("copied into place: 0 B by 1 call"), std::string::npos) << sum.explain();
  });
}

TEST(empty_array, refuses_another_type_another_device_and_a_second_use) {
  expect_refused(
      [] { static_cast<void>(machine().empty({4}, DType::f32, P("a")).shard_span<double>(0)); },  // refused
      "T015 {file}:{line}: shard_span: the elements are of f32, not f64; ask for those");
  expect_refused(
      [] { static_cast<void>(machine().empty({4}, DType::f32, P("a")).shard_span<float>(4)); },  // refused
      "T015 {file}:{line}: shard_span: there is no device 4; the mesh has devices 0 to 3");
  expect_refused(
      [] { machine().empty({5}, DType::f32, P("a")); },  // refused
      "T005 {file}:{line}: empty: dim 0 of f32[5] does not split over the 2 devices of 'a'; pad it or use "
      "another dim");
  EmptyArray made = machine().empty({4}, DType::f32, P("a"));
  static_cast<void>(std::move(made).array());
  expect_refused(
      [&] { static_cast<void>(made.shard_span<float>(0)); },  // refused
      "T015 {file}:{line}: shard_span: the memory was handed over; write all elements before you call "
      "array()");
  expect_refused([&] { static_cast<void>(std::move(made).array()); },  // refused
                 "T015 {file}:{line}: array: the memory was handed over before; keep the array");
}

}  // namespace
}  // namespace tutti
