// SPDX-License-Identifier: Apache-2.0
// The starts of windows in the text: brought inside, unless they are known to lie there.
#include <gtest/gtest.h>

#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh four({{"d", 4}});

template <class F, class... A>
std::string text_of(const F& function, const A&... arguments) {
  return lower_text(function, std::tuple{arguments...}, {.form = TextForm::replicas});
}

int clamps(const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find("stablehlo.clamp"); at != text.npos;
       at = text.find("stablehlo.clamp", at + 1))
    ++count;
  return count;
}

const Array row = abstract({8}, DType::f32), start = abstract({}, DType::i32),
            starts = abstract({3}, DType::i32);

TEST(lower_windows, brings_starts_inside) {
  EXPECT_EQ(clamps(text_of([](Array x, Array s) { return dynamic_slice_in_dim(x, s, 6, 0); }, row, start)),
            1);
  EXPECT_EQ(clamps(text_of([](Array x,
                              Array s) { return dynamic_update_slice_in_dim(x, x[{range(0, 2)}], s, 0); },
                           row, start)),
            1);
  EXPECT_EQ(clamps(text_of([](Array x, Array s) { return take(x, s, 0, GatherMode::clip); }, row, starts)),
            1);
  const auto in_lanes = [](Array x, Array s) {
    return vmap([](Array a, Array b) { return dynamic_slice_in_dim(a, b, 6, 0); }, {.in = {none, 0}})(x, s);
  };
  EXPECT_EQ(clamps(text_of(in_lanes, row, starts)), 1);
}

TEST(lower_windows, leaves_starts_that_are_known_to_be_inside) {
  EXPECT_EQ(clamps(text_of([](Array x) { return dynamic_slice_in_dim(x, 2, 6, 0); }, row)), 0);
  EXPECT_EQ(clamps(text_of([](Array x) { return dynamic_slice_in_dim(x, 3, 6, 0); }, row)), 1);
  EXPECT_EQ(clamps(text_of([](Array x) { return dynamic_slice_in_dim(x, -1, 6, 0); }, row)), 1);
  const auto elements = [](std::int64_t count) {
    return text_of(
        [=](Array x) {
          const GatherDims dims{.offset_dims = {},
                                .collapsed_slice_dims = {Dim{0}},
                                .start_index_map = {Dim{0}},
                                .index_vector_dim = Dim{1}};
          return gather(x, arange(count, DType::i32), dims, {1}, GatherMode::clip);
        },
        row);
  };
  EXPECT_EQ(clamps(elements(8)), 0);
  EXPECT_EQ(clamps(elements(9)), 1);
  const auto rows = [](Array x) {
    return scan([](Array sum, Array element) { return std::pair{sum + element, sum}; }, zeros({}, DType::f32),
                x);
  };
  EXPECT_EQ(clamps(text_of(rows, row)), 0);
}

TEST(lower_windows, leaves_the_starts_of_own_blocks) {
  const auto on_devices = [](auto body) {
    return text_of(shard_map(body, {.mesh = four, .in = P(), .out = P("d")}), row);
  };
  EXPECT_EQ(clamps(on_devices([](Array x) { return dynamic_slice_in_dim(x, axis_index("d") * 2, 2, 0); })),
            0);
  EXPECT_EQ(clamps(on_devices([](Array x) { return dynamic_slice_in_dim(x, axis_index("d") * 3, 2, 0); })),
            1);
  EXPECT_EQ(clamps(on_devices([](Array x) { return reshard(x, P(), P("d")); })), 0);
}

}  // namespace
}  // namespace tutti
