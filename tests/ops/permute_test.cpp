// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/permute.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1], c = example_mesh().axes()[2];
const Type x = Type(DType::f32, {3}).with({a, b}, varying);

// The source of every device; -1: zeros.
std::vector<int> sources(const Axes& axes, const Pairs& pairs) {
  std::vector<int> found;
  kernel::Shuffle shuffle = std::get<kernel::Shuffle>(kernel_of(Permute{axes, pairs}, {x}));
  for (const kernel::Shuffle::Piece& piece : shuffle.pieces)
    found.push_back(piece.devices.empty() ? -1 : piece.devices[0]);
  return found;
}

TEST(permute, keeps_the_type) {
  Type sum = x.with(c, unreduced);
  EXPECT_EQ((Permute{{b, a}, {{0, 1}}}.infer({sum})[0]), sum);
}

TEST(permute, counts_positions_in_the_order_of_the_axes) {
  EXPECT_EQ(sources({a, b}, {{1, 2}}), (std::vector<int>{-1, -1, -1, -1, 2, 3, -1, -1}));
  EXPECT_EQ(sources({b, a}, {{1, 2}}), (std::vector<int>{-1, -1, 4, 5, -1, -1, -1, -1}));
}

TEST(permute, sends_within_each_row_of_the_other_axes) {
  EXPECT_EQ(sources({b}, {{0, 1}, {1, 0}}), (std::vector<int>{2, 3, 0, 1, 6, 7, 4, 5}));
}

TEST(permute, of_equal_values_takes_them_as_varying) {
  EXPECT_EQ(program_text({Type(DType::f32, {3}).with(a, reduced)},
                         [](const Arrays& in) { return ppermute(in[0], a, {{0, 1}}); }),
            "program(%0: f32[3]{R:a}) {\n"
            "  %1: f32[3]{V:a} = cast{axes='a', from=R, to=V} %0\n"
            "  %2: f32[3]{V:a} = permute{axes='a', pairs=[(0, 1)]} %1\n"
            "  return %2\n}\n");
}

TEST(permute, transposes_to_the_way_back) {
  Program forward = trace({x}, [](const Arrays& in) {
                      return Arrays{ppermute(in[0], Axes{a, b}, {{0, 1}, {1, 3}})};
                    }).program;
  Program backward = trace({x}, [&](const Arrays& in) {
                       return Arrays{*forward.equations[0].op->transpose({{{}, x}}, {in[0]})[0]};
                     }).program;
  EXPECT_EQ(to_string(backward.equations[0].op), "permute{axes=('a', 'b'), pairs=[(1, 0), (3, 1)]}");
}

TEST(permute, by_sources_is_pshuffle) {
  EXPECT_EQ(program_text({x}, [](const Arrays& in) { return pshuffle(in[0], Axes{a, b}, {3, 0, 1, 2}); }),
            "program(%0: f32[3]{V:a, V:b}) {\n"
            "  %1: f32[3]{V:a, V:b} = permute{axes=('a', 'b'), pairs=[(3, 0), (0, 1), (1, 2), (2, 3)]} %0\n"
            "  return %1\n}\n");
}

TEST(permute, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Permute::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
