// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/graph/address.hpp"

#include <gtest/gtest.h>

#include "tutti/run/graph/space.hpp"

namespace tutti {
namespace {

const Mesh& mesh() {
  static const Mesh mesh({{"a", 2}, {"b", 3}});
  return mesh;
}
const Axis& a() { return mesh().axes()[0]; }
const Axis& b() { return mesh().axes()[1]; }
constexpr AxisSet on_a = 1, on_b = 2;
using Strides = std::vector<std::int64_t>;

Address at(const kernel::View& view, const Address& from, Stored operand, Stored result) {
  auto address = address_of(moves_of(view, mesh(), from, operand, result), mesh(), from, result);
  EXPECT_TRUE(address);
  return address.value_or(Address{});
}

TEST(address, a_gather_of_dense_shards_is_a_view) {
  Shape block{4, 2}, whole{8, 2};
  kernel::View gather{{{2, kernel::along(a()), kernel::along(Dim{0}, 4)},
                       {4, kernel::along(Dim{0}), kernel::along(Dim{0})},
                       {2, kernel::along(Dim{1}), kernel::along(Dim{1})}}};
  Address from{BufferId{0}, 0, {32, 0}, {8, 4}};
  EXPECT_EQ(at(gather, from, {block, on_a}, {whole, 0}).dims, (Strides{8, 4}));
  EXPECT_EQ(at(gather, from, {block, on_a}, {whole, 0}).axes, (Strides{0, 0}));
  // Staggered shards do not step evenly.
  from.axes[0] = 48;
  EXPECT_FALSE(
      address_of(moves_of(gather, mesh(), from, {block, on_a}, {whole, 0}), mesh(), from, {whole, 0}));
}

TEST(address, axes_that_no_digit_names_keep_their_place) {
  Shape shape{2};
  kernel::View identity{{{2, kernel::along(Dim{0}), kernel::along(Dim{0})}}};
  Address from{BufferId{0}, 0, {24, 8}, {4}};
  EXPECT_EQ(at(identity, from, {shape, on_a | on_b}, {shape, on_a | on_b}).axes, (Strides{24, 8}));
  EXPECT_EQ(at(identity, {BufferId{0}, 0, {8, 0}, {4}}, {shape, on_a}, {shape, on_a | on_b}).axes,
            (Strides{8, 0}));  // I -> V over b
}

TEST(address, an_own_block_also_reads_its_own_device_where_every_device_has_a_copy) {
  Shape whole{6}, block{2};
  kernel::View own{
      {{3, kernel::along(Dim{0}, 2), kernel::along(b())}, {2, kernel::along(Dim{0}), kernel::along(Dim{0})}}};
  EXPECT_EQ(at(own, {BufferId{0}, 0, {0, 0}, {4}}, {whole, 0}, {block, on_b}).axes, (Strides{0, 8}));
  EXPECT_EQ(at(own, {BufferId{0}, 0, {72, 24}, {4}}, {whole, on_a | on_b}, {block, on_a | on_b}).axes,
            (Strides{72, 32}));
}

TEST(address, of_a_slice_starts_later_and_of_a_reverse_steps_backwards) {
  Shape whole{6}, part{2};
  kernel::View slice{.digits = {{2, kernel::along(Dim{0}, 2), kernel::along(Dim{0})}}, .start = {1}};
  Address from{BufferId{0}, 100, {24, 0}, {4}};
  EXPECT_EQ(start_of(slice, from), 4);
  EXPECT_EQ(at(slice, from, {whole, on_a}, {part, on_a}).dims, (Strides{8}));
  kernel::View reverse{.digits = {{6, kernel::along(Dim{0}, -1), kernel::along(Dim{0})}}, .start = {5}};
  EXPECT_EQ(start_of(reverse, from), 20);
  EXPECT_EQ(at(reverse, from, {whole, on_a}, {whole, on_a}).dims, (Strides{-4}));
}

TEST(address, reshapes_what_steps_evenly) {
  Address from{BufferId{0}, 0, {}, {8, 4}};
  EXPECT_EQ(reshaped(from, {6, 2}, {3, 4})->dims, (Strides{16, 4}));
  EXPECT_EQ(reshaped(from, {6, 2}, {1, 6, 1, 2})->dims, (Strides{48, 8, 8, 4}));
  EXPECT_FALSE(reshaped({BufferId{0}, 0, {}, {4, 24}}, {6, 2}, {12}));  // a transpose
  EXPECT_EQ(reshaped({BufferId{0}, 0, {}, {4, 24}}, {6, 2}, {2, 3, 2})->dims, (Strides{12, 4, 24}));
  EXPECT_EQ(reshaped({BufferId{0}, 0, {}, {0, 0}}, {6, 2}, {12})->dims, (Strides{0}));
}

// A step over whole blocks reads one number of each row.
TEST(address, of_another_rank_than_the_shape_is_not_dense) {
  Address of_rows{BufferId{0}, 0, {0, 0}, {24, 8, 4}};
  EXPECT_TRUE(is_dense(of_rows, Shape{2, 3, 2}, 4));
  of_rows.dims.pop_back();  // the 4 still stands behind the others
  EXPECT_FALSE(is_dense(of_rows, Shape{2, 3, 2}, 4));
}

TEST(space, collapses_loops_that_follow_each_other) {
  Strides sizes{2, 1, 3, 4}, dense{48, 7, 16, 4}, row{0, 7, 0, 4};
  EXPECT_EQ(collapsed(sizes, dense).size(), 1U);
  EXPECT_EQ(pattern_of(collapsed(sizes, row), 6, 4, 4).kind, Pattern::Kind::row);
  EXPECT_EQ(pattern_of(collapsed(sizes, Strides{12, 0, 4, 0}), 6, 4, 4).kind, Pattern::Kind::column);
  EXPECT_EQ(pattern_of(collapsed(sizes, Strides{0, 0, 0, 0}), 6, 4, 4).kind, Pattern::Kind::scalar);
  EXPECT_EQ(pattern_of(collapsed(sizes, Strides{64, 0, 16, 4}), 6, 4, 4).kind, Pattern::Kind::irregular);
  EXPECT_EQ(pattern_of(collapsed(Strides{5, 4}, Strides{4, 20}), 5, 4, 4).kind, Pattern::Kind::strided);
}

TEST(space, tiles_cover_rows_or_pieces_of_a_row) {
  EXPECT_EQ(tiled(1, 5000, false, 1024).tiles(), 5);
  EXPECT_EQ(tiled(100, 10, false, 1024).tiles(), 1);
  EXPECT_EQ(tiled(300, 10, false, 1024).tile_rows, 102);
  EXPECT_EQ(tiled(3, 5000, true, 1024).tiles(), 3);
  EXPECT_EQ(tiled(3, 2000, false, 1024).tiles(), 6);
}

}  // namespace
}  // namespace tutti
