// SPDX-License-Identifier: Apache-2.0
// An exchange of several steps is lowered as these, also along parts of axes.
#include <gtest/gtest.h>

#include "tutti/ir/builder.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {
namespace {

/// The lowered exchange of a part that also differs along `others`.
std::string lowered(const Mesh& mesh, const P& from, const P& to, const Axes& others = {}) {
  const Type whole(DType::f32, {16, 16});
  const Sharding before = from.on(mesh, whole), after = to.on(mesh, whole);
  auto body = [&](const Arrays& x) { return Arrays{exchange(x[0], whole.shape(), before, after)}; };
  return write(
      lower_per_device(trace({local_type(whole, before).with(others, varying)}, body).program, mesh));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// y(2)2 goes from columns to rows among neighbours; then blocks change places.
TEST(planned_exchange, is_lowered_along_parts_of_axes) {
  const std::string text = lowered(Mesh({{"x", 2}, {"y", 4}}), P("x", "y"), P("y", "x"));
  EXPECT_EQ(count(text, "stablehlo.all_to_all"), 1U) << text;
  EXPECT_EQ(count(text, "stablehlo.collective_permute"), 1U) << text;
  EXPECT_NE(text.find("dense<[[0, 1], [2, 3], [4, 5], [6, 7]]>"), std::string::npos) << text;
}

// The plan knows x and y. Along z, which stands between them, parts differ.
TEST(planned_exchange, is_lowered_along_parts_of_some_axes_of_a_mesh) {
  const Mesh mesh({{"x", 2}, {"z", 3}, {"y", 4}});
  const std::string text = lowered(mesh, P("x", "y"), P("y", "x"), {mesh.axes()[1]});
  EXPECT_EQ(count(text, "stablehlo.all_to_all"), 1U) << text;
  EXPECT_EQ(count(text, "stablehlo.collective_permute"), 1U) << text;
}

}  // namespace
}  // namespace tutti
