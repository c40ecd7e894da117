// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/shardings.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tree/specs.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"x", 2}, {"y", 2}, {"z", 2}, {"t", 2}, {"s", 2}});
const Type cube(DType::f32, {8, 8, 8});

Sharding read(std::string_view text) { return parse_spec(text).on(mesh, cube); }

// The code and text of the error.
std::string refused(const std::function<void()>& act) {
  try {
    act();
    return "accepted";
  } catch (const Error& error) {
    return std::string(error.label()) + " " + error.what();
  }
}
std::string refused(std::string_view text) {
  return refused([&] { parse_spec(text); });
}
std::string refused_on_mesh(std::string_view text) {
  return refused([&] { parse_sharding(text, mesh, cube); });
}

TEST(parse_spec, reads_what_cpp_writes) {
  EXPECT_EQ(read("P()"), P().on(mesh, cube));
  EXPECT_EQ(read("P(x, none, y)"), P("x", none, "y").on(mesh, cube));
  EXPECT_EQ(read("P((y, x), none, z)+U(t)+R(s)"),
            P(SpecEntry{"y", "x"}, none, "z").unreduced({"t"}).reduced({"s"}).on(mesh, cube));
}

TEST(parse_spec, takes_blanks_anywhere_between_words_or_nowhere) {
  EXPECT_EQ(read("P((y,x),none,z)+U(t)+R(s)"), read(" P ( ( y , x ) , none , z ) + U ( t ) + R ( s ) "));
}

TEST(parse_spec, takes_unreduced_and_reduced_axes_in_either_order) {
  EXPECT_EQ(read("P(x)+R(s)+U(t, z)"), read("P(x)+U(t, z)+R(s)"));
}

TEST(parse_spec, reads_parts_of_axes_as_cpp_writes_them) {
  const Mesh large({{"x", 2}, {"z", 8}});
  auto on_large = [&](const P& spec) { return spec.on(large, cube); };
  EXPECT_EQ(on_large(parse_spec("P(z(2)4)")), on_large(P(part("z", 2, 4))));
  EXPECT_EQ(on_large(parse_spec("P((x, z(4)2), z(1)2)+U(z(2)2)")),
            on_large(P(SpecEntry{"x", part("z", 4, 2)}, part("z", 1, 2)).unreduced({part("z", 2, 2)})));
  EXPECT_EQ(on_large(parse_spec("P()+R(z(1)2, x)+U(z(2)4)")),
            on_large(P().reduced({part("z", 1, 2), "x"}).unreduced({part("z", 2, 4)})));
  EXPECT_EQ(on_large(parse_spec(" P( z ( 2 ) 4 ) ")), on_large(P(part("z", 2, 4))));
  EXPECT_EQ(on_large(P(part("z", 1, 8))), on_large(P("z")));
}

TEST(parse_spec, marks_a_part_without_its_numbers) {
  EXPECT_EQ(refused("P(z(a)4)"),
            "T013 spec: 'a' is not a number, as in z(2)4, the part of size 4 behind 2 slower positions\n"
            "  P(z(a)4)\n"
            "      ^");
  EXPECT_EQ(refused("P(z(2))"), "T013 spec: there must be a number, as in z(2)4, the part of size 4 behind 2 "
                                "slower positions here\n"
                                "  P(z(2))\n"
                                "        ^");
  EXPECT_EQ(refused("P(z(2 4)"),
            "T013 spec: there must be a ')' after the number of slower positions, as in z(2)4\n"
            "  P(z(2 4)\n"
            "        ^");
}

TEST(parse_spec, takes_one_axis_in_brackets) { EXPECT_EQ(read("P((x))"), read("P(x)")); }

TEST(parse_spec, marks_a_start_that_is_no_spec) {
  EXPECT_EQ(refused("x, y"), "T013 spec: there must be a 'P' at the start, as in P(x, none)\n"
                             "  x, y\n"
                             "  ^");
  EXPECT_EQ(refused("P x"), "T013 spec: there must be a '(' after P\n"
                            "  P x\n"
                            "    ^");
  EXPECT_EQ(refused(""), "T013 spec: there must be a 'P' at the start, as in P(x, none)\n"
                         "  \n"
                         "  ^");
}

TEST(parse_spec, marks_the_place_of_a_missing_bracket) {
  EXPECT_EQ(refused("P(x, none"), "T013 spec: there must be a ')' after the dims\n"
                                  "  P(x, none\n"
                                  "           ^");
  EXPECT_EQ(refused("P((x, y"), "T013 spec: there must be a ')' after the axes\n"
                                "  P((x, y\n"
                                "         ^");
  EXPECT_EQ(refused("P(x)+U y"), "T013 spec: there must be a '(' after the letter\n"
                                 "  P(x)+U y\n"
                                 "         ^");
}

TEST(parse_spec, marks_the_place_of_a_missing_axis) {
  EXPECT_EQ(refused("P(x, , y)"), "T013 spec: there must be an axis, none, or several axes in brackets here\n"
                                  "  P(x, , y)\n"
                                  "       ^");
  EXPECT_EQ(refused("P(())"), "T013 spec: there must be an axis here\n"
                              "  P(())\n"
                              "     ^");
  EXPECT_EQ(refused("P(x)+U()"), "T013 spec: there must be an axis here\n"
                                 "  P(x)+U()\n"
                                 "         ^");
}

TEST(parse_spec, marks_what_follows_the_end) {
  EXPECT_EQ(refused("P(x) and"), "T013 spec: there must be a '+' before U(..) or R(..)\n"
                                 "  P(x) and\n"
                                 "       ^");
  EXPECT_EQ(refused("P(x)+"), "T013 spec: there must be U(..) or R(..) here\n"
                              "  P(x)+\n"
                              "       ^");
}

TEST(parse_spec, refuses_a_letter_that_stands_twice) {
  EXPECT_EQ(refused("P(x)+U(y)+U(z)"), "T013 spec: 'U' stands twice; name all its axes at once\n"
                                       "  P(x)+U(y)+U(z)\n"
                                       "            ^");
}

TEST(parse_spec, refuses_terms_of_a_maximum_with_the_reason) {
  EXPECT_EQ(refused("P(x)+max(t)"),
            "T013 spec: 'max' is neither U, terms of a sum, nor R, partial gradients; terms of a maximum, a "
            "minimum or a product are not linear: reduce them first, for example with pmax\n"
            "  P(x)+max(t)\n"
            "       ^");
}

TEST(parse_spec, puts_its_mark_below_the_character_not_the_byte) {
  EXPECT_EQ(refused("P(é, )"), "T013 spec: there must be an axis, none, or several axes in brackets here\n"
                               "  P(é, )\n"
                               "       ^");
}

TEST(parse_sharding, marks_an_axis_that_the_mesh_has_not) {
  EXPECT_EQ(refused_on_mesh("P(x, none, (y, q))"),
            "T001 spec: there is no axis 'q', the mesh is x=2,y=2,z=2,t=2,s=2; use one of its axes\n"
            "  P(x, none, (y, q))\n"
            "                 ^");
}

std::string refused_part(std::string_view text) {
  static const Mesh six({{"x", 6}, {"z", 8}});
  return refused([&] { parse_sharding(text, six, cube); });
}

TEST(parse_sharding, marks_a_part_that_does_not_divide_its_axis) {
  EXPECT_EQ(refused_part("P(z, x(2)4)"),
            "T013 spec: 2 times 4 does not divide 6, the size of axis 'x'; x(2)4 is no part of it\n"
            "  P(z, x(2)4)\n"
            "       ^");
  EXPECT_EQ(refused_part("P(x(2)6)").substr(0, 40), "T013 spec: 2 times 6 does not divide 6, ");
  EXPECT_EQ(refused_part("P(x(2)1)"),
            "T013 spec: the part x(2)1 has size 1; a part has 2 positions at least\n"
            "  P(x(2)1)\n"
            "    ^");
  EXPECT_EQ(refused_part("P(x(0)2)"),
            "T013 spec: the part x(0)2 begins behind 0 positions; write x(1)2 for the "
            "slowest part\n"
            "  P(x(0)2)\n"
            "    ^");
  EXPECT_EQ(refused_part("P(z(2000000000)2000000000)").substr(0, 31), "T013 spec: 2000000000 times 200");
}

TEST(parse_sharding, marks_parts_that_overlap) {
  EXPECT_EQ(refused_part("P(z(1)4, z(2)4)"),
            "T013 spec: z(2)4 overlaps z(1)4, which is named before; name each part of an axis once\n"
            "  P(z(1)4, z(2)4)\n"
            "           ^");
  EXPECT_EQ(refused_part("P(z(1)2)+U(z)"),
            "T013 spec: z overlaps z(1)2, which is named before; name each part of an axis once\n"
            "  P(z(1)2)+U(z)\n"
            "             ^");
  EXPECT_EQ(refused_part("P(z(1)2, z(1)2)").substr(0, 31), "T013 spec: z(1)2 overlaps z(1)2");
}

TEST(parse_sharding, marks_parts_that_do_not_fit_each_other) {
  EXPECT_EQ(
      refused_part("P(x(1)2, x(3)2)"),
      "T013 spec: x(3)2 does not fit the other parts of 'x': where it begins or ends, they do not; name "
      "parts whose products divide each other\n"
      "  P(x(1)2, x(3)2)\n"
      "           ^");
}

TEST(parse_sharding, advises_those_who_write_python) {
  EXPECT_EQ(refused_on_mesh("P(x, None)"),
            "T001 spec: there is no axis 'None', the mesh is x=2,y=2,z=2,t=2,s=2; "
            "write none for a dim that is not split\n"
            "  P(x, None)\n"
            "       ^");
  EXPECT_EQ(refused_on_mesh("P('x')"), "T001 spec: there is no axis ''x'', the mesh is x=2,y=2,z=2,t=2,s=2; "
                                       "write names without quotes, as in P(x, none)\n"
                                       "  P('x')\n"
                                       "    ^");
  EXPECT_NE(refused_on_mesh("P(\"x\")").find("write names without quotes"), std::string::npos);
}

TEST(parse_sharding, takes_parts_on_a_mesh_that_is_cut_already) {
  const Mesh large({{"x", 2}, {"z", 8}});
  const Mesh fine = refined(large, {{}, {2}});
  EXPECT_EQ(to_string(parse_sharding("P(z, x)", fine, cube)), "P(z, x)");
  EXPECT_EQ(parse_sharding("P(z)", fine, cube).mesh, fine);
  EXPECT_EQ(parse_sharding("P(z(4)2)", fine, cube).mesh, refined(large, {{}, {2, 4}}));
}

TEST(parse_sharding, marks_an_axis_that_is_named_twice) {
  EXPECT_EQ(refused_on_mesh("P(x, y)+U(x)"), "T013 spec: axis 'x' is named twice; name it once\n"
                                             "  P(x, y)+U(x)\n"
                                             "            ^");
}

TEST(parse_sharding, marks_the_first_dim_that_the_array_has_not) {
  EXPECT_EQ(refused_on_mesh("P(none, none, none, (x, y), z)"),
            "T013 spec: it names 5 dims, but f32[8,8,8] has 3; drop the last 2\n"
            "  P(none, none, none, (x, y), z)\n"
            "                      ^");
}

// Every way to split two dims, then terms, gradients and axes that it does not name.
std::vector<Sharding> all_shardings_with_terms(const Mesh& on) {
  std::vector<Sharding> found;
  const std::function<void(const Sharding&)> add = [&](const Sharding& sharding) {
    found.push_back(sharding);
    for (const Axis& axis : on.axes())
      for (Axes Sharding::* terms : {&Sharding::unreduced, &Sharding::reduced}) {
        if (contains(axes_of(sharding), axis)) continue;
        Sharding next = sharding;
        (next.*terms).push_back(axis);
        add(next);
      }
  };
  for (const Sharding& split : all_shardings(on, 2)) add(split);
  return found;
}

TEST(parse_sharding, reads_every_sharding_as_it_prints) {
  const Mesh small({{"x", 2}, {"y", 2}, {"z", 2}});
  const std::vector<Sharding> all = all_shardings_with_terms(small);
  EXPECT_GT(all.size(), 100U);
  for (const Sharding& sharding : all)
    EXPECT_EQ(parse_sharding(to_string(sharding), small, Type(DType::f32, {8, 8})), sharding)
        << to_string(sharding);
}

TEST(parse_sharding, tells_an_axis_that_is_called_none_from_no_axis) {
  const Mesh odd({{"none", 2}});
  const Sharding split{odd, {odd.axes()}, {}, {}};
  EXPECT_EQ(to_string(split), "P((none))");
  EXPECT_EQ(parse_sharding("P((none))", odd, Type(DType::f32, {2})), split);
}

}  // namespace
}  // namespace tutti
