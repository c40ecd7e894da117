// SPDX-License-Identifier: Apache-2.0
#include "tutti/tree/specs.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/tree/tree.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"data", 4}, {"model", 2}});
const Type matrix(DType::f32, {8, 8});

std::string on_mesh(const P& spec) { return to_string(spec.on(mesh, matrix)); }

// The specs of the leaves, each on the mesh for a vector.
template <class T>
std::vector<std::string> per_leaf(const Specs& specs, const T& t) {
  std::vector<std::string> all;
  for (const P& spec : specs.per_leaf(tree::structure_of(t), ".in")) all.push_back(on_mesh(spec));
  return all;
}

struct Layer {
  Array w, b;
};

TEST(spec, names_one_axis_or_none_per_dim) {
  EXPECT_EQ(on_mesh(P("data", "model")), "P(data, model)");
  EXPECT_EQ(on_mesh(P(none, "model")), "P(none, model)");
}

TEST(spec, leaves_out_dims_that_are_not_split) {
  EXPECT_EQ(on_mesh(P()), "P()");
  EXPECT_EQ(on_mesh(P("data")), "P(data)");
}

TEST(spec, names_several_axes_of_a_dim_slowest_first) {
  EXPECT_EQ(on_mesh(P(SpecEntry{"model", "data"})), "P((model, data))");
}

TEST(spec, takes_names_known_at_run_time) {
  const std::string model = "model";
  const std::string_view data = "data";
  const std::vector<std::string> both{"model", "data"};
  EXPECT_EQ(on_mesh(P(data, model)), "P(data, model)");
  EXPECT_EQ(on_mesh(P(SpecEntry{model, data})), "P((model, data))");
  EXPECT_EQ(on_mesh(P(both)), "P((model, data))");
  EXPECT_EQ(on_mesh(P(none, std::vector<std::string_view>{data})), "P(none, data)");
  EXPECT_EQ(on_mesh(P().unreduced(both)), "P()+U(model, data)");
  EXPECT_EQ(on_mesh(P(data).reduced(model)), "P(data)+R(model)");
}

TEST(spec, says_where_there_are_sums_and_partial_gradients) {
  EXPECT_EQ(on_mesh(P("data").unreduced({"model"})), "P(data)+U(model)");
  EXPECT_EQ(on_mesh(P().reduced({"data", "model"})), "P()+R(data, model)");
}

TEST(spec, is_printed_as_parse_spec_reads_it) {
  EXPECT_EQ(to_string(P()), "P()");
  EXPECT_EQ(to_string(P("data", none, "model")), "P(data, none, model)");
  EXPECT_EQ(to_string(P(SpecEntry{"model", "data"}, part("z", 2, 4))), "P((model, data), z(2)4)");
  EXPECT_EQ(to_string(P(none).unreduced({"data", "x"}).reduced({"y"})), "P(none)+U(data, x)+R(y)");
  EXPECT_EQ(to_string(P("none", none)), "P((none), none)");
  for (const char* text : {"P()", "P(x, none, y)", "P((y, x), none, z(2)4)+U(t)+R(s)", "P((none))"})
    EXPECT_EQ(to_string(parse_spec(text)), text);
}

TEST(spec, is_not_longer_than_the_rank) {
  EXPECT_EQ(refusal_of([] { P("data", none, none).on(mesh, matrix); }),
            "T013: the spec names 3 dims, but f32[8,8] has 2; drop the last 1");
}

TEST(spec, names_axes_of_the_mesh) {
  EXPECT_EQ(refusal_of([] { P("rows").on(mesh, matrix); }),
            "T001: the spec names axis 'rows', but the mesh is data=4,model=2; use one of its axes");
  EXPECT_EQ(refusal_of([] { P("rows").on(Mesh(), matrix); }),
            "T001: the spec names axis 'rows', but the mesh has no axes; hand in one that has it: "
            "Mesh({{\"rows\", 4}})");
}

TEST(spec, names_parts_of_axes_on_a_refined_mesh) {
  EXPECT_EQ(on_mesh(P(part("data", 2, 2), SpecEntry{"model", part("data", 1, 2)})),
            "P(data(2)2, (model, data(1)2))");
  EXPECT_EQ(P(part("data", 2, 2)).on(mesh, matrix).mesh, refined(mesh, {{2}, {}}));
  EXPECT_EQ(P(part("data", 1, 4)).on(mesh, matrix).mesh, mesh);
  EXPECT_EQ(P(SpecEntry{part("data", 1, 2), part("data", 2, 2)}).on(mesh, matrix),
            P("data").on(mesh, matrix));
}

TEST(spec, refuses_parts_that_are_none) {
  EXPECT_EQ(refusal_of([] { P(part("data", 2, 4)).on(mesh, matrix); }),
            "T013: 2 times 4 does not divide 4, the size of axis 'data'; data(2)4 is no part of it");
  EXPECT_EQ(refusal_of([] { P(part("rows", 1, 2)).on(mesh, matrix); }),
            "T001: the spec names axis 'rows', but the mesh is data=4,model=2; use one of its axes");
  EXPECT_EQ(
      refusal_of([] { P("None").on(mesh, matrix); }),
      "T001: the spec names axis 'None', but the mesh is data=4,model=2; write none for a dim that is not "
      "split");
}

TEST(specs, that_are_one_hold_for_all_leaves) {
  EXPECT_EQ(per_leaf(P("data"), std::pair{Layer{}, Array()}),
            (std::vector<std::string>{"P(data)", "P(data)", "P(data)"}));
}

TEST(specs, are_given_per_part) {
  EXPECT_EQ(per_leaf({P("data"), P()}, std::pair{Layer{}, Array()}),
            (std::vector<std::string>{"P(data)", "P(data)", "P()"}));
  EXPECT_EQ(per_leaf({{P(none, "model"), P("model")}, P()}, std::pair{Layer{}, Array()}),
            (std::vector<std::string>{"P(none, model)", "P(model)", "P()"}));
}

TEST(specs, of_one_array_may_stand_in_braces) {
  EXPECT_EQ(per_leaf({P("data")}, Array()), std::vector<std::string>{"P(data)"});
}

TEST(specs, in_braces_around_one_spec_are_for_one_part) {
  EXPECT_EQ(per_leaf({P("data")}, std::tuple{Layer{}}), (std::vector<std::string>{"P(data)", "P(data)"}));
  EXPECT_EQ(refusal_of([] { per_leaf({P("data")}, std::pair{Array(), Array()}); }),
            "T013: .in has one spec in braces, which is for one part, but there are 2; write it without "
            "braces for all of them, or give one spec for each");
  EXPECT_EQ(refusal_of([] { per_leaf({{P("data")}}, std::pair{Array(), Array()}); }).substr(0, 4), "T013");
  EXPECT_EQ(refusal_of([] { per_leaf({P(), Specs{P("data")}}, std::pair{Array(), Layer{}}); }).substr(0, 34),
            "T013: .in.1 has one spec in braces");
  const std::vector<Specs> one{P("data")};
  EXPECT_EQ(refusal_of([&] { per_leaf(Specs(one), Arrays(3)); }).substr(0, 4), "T013");
  EXPECT_EQ(per_leaf(Specs(one), Arrays(1)), std::vector<std::string>{"P(data)"});
}

TEST(specs, in_braces_around_one_spec_hold_beside_no_parts) {
  EXPECT_EQ(per_leaf({P("data")}, std::tuple{}), std::vector<std::string>{});
  EXPECT_EQ(per_leaf({P("data")}, Arrays{}), std::vector<std::string>{});
  EXPECT_EQ(per_leaf({{P("data")}}, Arrays{}), std::vector<std::string>{});
}

TEST(specs, in_braces_around_braces_are_the_inner_ones) {
  const Specs both{P("data"), P()};
  EXPECT_EQ(per_leaf({both}, std::pair{Array(), Array()}), (std::vector<std::string>{"P(data)", "P()"}));
  EXPECT_EQ(per_leaf({both}, std::tuple{Layer{}}), (std::vector<std::string>{"P(data)", "P()"}));
}

TEST(specs, of_another_form_are_refused) {
  EXPECT_EQ(refusal_of([] { per_leaf({P(), P(), P()}, Layer{}); }),
            "T012: .in has 3 specs for a tree of 2 parts; give one spec for all of it, or one for each part");
  EXPECT_EQ(refusal_of([] { per_leaf({P(), Specs{P(), P()}}, Layer{}); }),
            "T012: .in.1 has 2 specs for one array; give one spec for all of it, or one for each part");
  EXPECT_EQ(
      refusal_of([] { per_leaf({P(), Specs{P(), P(), P()}}, std::pair{Array(), Layer{}}); }),
      "T012: .in.1 has 3 specs for a tree of 2 parts; give one spec for all of it, or one for each part");
}

}  // namespace
}  // namespace tutti
