// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/page/drawn.hpp"
#include "tests/support/expect_refusal.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/shardings.hpp"

#include "tutti/base/excerpt.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/page/text_picture.hpp"
#include "tutti/run/machine.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"x", 4}, {"y", 2}});

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    std::size_t characters = 0;
    for (std::string_view rest = line; !rest.empty(); ++characters)
      rest.remove_prefix(std::max<std::size_t>(shown_bytes(rest), 1));
    longest = std::max(longest, characters);
  }
  return longest;
}

TEST(picture, has_a_box_for_each_block) {
  EXPECT_EQ(picture({8, 6}, mesh, P("x", "y")), R"([8,6] on x=4,y=2: P(x, y)
      0:3   3:6
    +-----+-----+
0:2 |  0  |  1  |
    +-----+-----+
2:4 |  2  |  3  |
    +-----+-----+
4:6 |  4  |  5  |
    +-----+-----+
6:8 |  6  |  7  |
    +-----+-----+
)");
}

TEST(picture, is_of_a_placed_array) {
  const Machine machine = open_local(mesh);
  const Array x = machine.place(numbered(DType::f32, {2, 2}), P("y"));
  EXPECT_EQ(picture(x, {.box_characters = true}), R"(f32[2,2] on x=4,y=2: P(y)
        0:2
    ┌─────────┐
0:1 │ 0,2,4,6 │
    ├─────────┤
1:2 │ 1,3,5,7 │
    └─────────┘
)");
}

TEST(picture, shows_short_blocks_terms_and_devices_without_a_block) {
  EXPECT_EQ(picture({7, 5}, mesh, P(none, "x").unreduced("y")), R"([7,5] on x=4,y=2: P(none, x)+U(y)
      0:2   2:4   4:5
    +-----+-----+-----+
0:7 | 0+1 | 2+3 | 4+5 |
    +-----+-----+-----+
+: along y the devices hold terms of a sum.
without a block: 6,7
)");
}

TEST(picture, joins_the_copies_of_a_term) {
  EXPECT_NE(picture({}, mesh, P().unreduced("y")).find("\n| 0,2,4,6+1,3,5,7 |\n"), std::string::npos);
}

TEST(picture, is_a_row_for_a_line_and_one_box_for_a_scalar) {
  EXPECT_EQ(picture({4}, Mesh({{"x", 2}}, {.devices = {3, 2}}), P("x")), R"([4] on x=2 on devices 3,2: P(x)
  0:2   2:4
+-----+-----+
|  3  |  2  |
+-----+-----+
)");
  EXPECT_EQ(picture({}, mesh, P()), "[] on x=4,y=2: P()\n+-----+\n| 0-7 |\n+-----+\n");
}

TEST(picture, has_panels_for_dims_beyond_two) {
  EXPECT_EQ(picture({4, 6, 8, 3}, Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), P("x", "y", none, "z")),
            R"([4,6,8,3] on x=2,y=2,z=2: P(x, y, none, z)
dim 0: 0:2
      0:2   2:3
    +-----+-----+
0:3 |  0  |  1  |
    +-----+-----+
3:6 |  2  |  3  |
    +-----+-----+
dim 0: 2:4
      0:2   2:3
    +-----+-----+
0:3 |  4  |  5  |
    +-----+-----+
3:6 |  6  |  7  |
    +-----+-----+
down: dim 1; across: dim 3; not split: dim 2
)");
}

TEST(picture, says_how_many_panels_are_left_out) {
  const Mesh small = mesh_of("a2 b2 c2 d2 e2 f2 g2");
  const Shape shape{2, 2, 2, 2, 2, 2, 2};
  const std::string text = picture(shape, small, P("a", "b", "c", "d", "e", "f", "g"));
  EXPECT_NE(text.find("and 24 more panels\n"), std::string::npos) << text;
  const std::string svg = picture_svg(shape, small, P("a", "b", "c", "d", "e", "f", "g"));
  EXPECT_NE(svg.find(">and 16 more panels<"), std::string::npos);
  EXPECT_EQ(read_svg(svg).frames.size(), 16U * 4);
}

TEST(picture, shows_parts_of_axes) {
  EXPECT_NE(picture({8}, Mesh({{"x", 8}}), P(part("x", 2, 4))).find("\n| 0,4 | 1,5 | 2,6 | 3,7 |\n"),
            std::string::npos);
}

TEST(picture, leaves_out_the_middle_of_many_rows_and_columns) {
  EXPECT_EQ(picture({16, 16}, mesh_of("x8 y8"), P("x", "y"), {.line_length = 40, .most_rows = 3}),
            R"([16,16] on x=8,y=8: P(x, y)
         0:2     2:4    ..   14:16
      +-------+-------+----+-------+
  0:2 |   0   |   1   | .. |   7   |
      +-------+-------+----+-------+
  2:4 |   8   |   9   | .. |  15   |
      +-------+-------+----+-------+
   .. |  ..   |  ..   | .. |  ..   |
      +-------+-------+----+-------+
14:16 |  56   |  57   | .. |  63   |
      +-------+-------+----+-------+
)");
}

TEST(picture, counts_devices_that_are_too_many_to_list_and_names_their_coordinates) {
  EXPECT_EQ(picture({4096, 4096}, mesh_of("x16 y16 z16"), P("y"), {.most_rows = 2}),
            R"([4096,4096] on x=16,y=16,z=16: P(y)
                   0:4096
               +-------------+
     y=0 0:256 | 256 devices |
               +-------------+
            .. |     ..      |
               +-------------+
y=15 3840:4096 | 256 devices |
               +-------------+
Labels have the coordinates of the devices and the elements of their blocks.
)");
}

TEST(picture, is_that_of_its_page_as_svg) {
  const Machine machine = open_local(mesh);
  const Array x = machine.place(Tensor({7, 6}, DType::f32), P("x", "y"));
  EXPECT_EQ(picture_svg(x), text_of_file("docs/placed.svg"));
}

TEST(picture, of_an_array_on_the_host_is_one_box) {
  const Array x = numbered(DType::i32, {2, 3});
  EXPECT_EQ(picture(x), R"(i32[2,3] is whole on the host, without a sharding
      0:3
    +------+
0:2 | host |
    +------+
)");
  const std::string svg = picture_svg(x);
  EXPECT_EQ(read_svg(svg).tiles.size(), 1U);
  EXPECT_NE(svg.find(">host<"), std::string::npos);
  EXPECT_NE(svg.find(">i32[2,3] is whole on the host, without a sharding<"), std::string::npos);
}

TEST(picture, says_that_there_are_no_elements) {
  EXPECT_EQ(picture({0, 4}, mesh, P("x")), "[0,4] on x=4,y=2: P(x)\nThe array has no elements.\n");
  const std::string svg = picture_svg({0, 4}, mesh, P("x"));
  EXPECT_NE(svg.find(">The array has no elements.<"), std::string::npos);
  EXPECT_EQ(fault_of_xml(svg), "");
}

TEST(picture, keeps_to_its_line_length) {
  const std::string name(100, 'n');
  for (const Mesh& its_mesh :
       {mesh_of("x4 y2"), mesh_of("x16 y16 z16"), mesh_of("x64 y64"), Mesh({{name, 300}, {"ä" + name, 3}})})
    for (int length : {40, 57, 80, 132})
      for (const Sharding& sharding : all_shardings(its_mesh, 2, Sums::included)) {
        const std::string text =
            text_picture({"f32[3000,1000]", {3000, 1000}, sharding}, {.line_length = length});
        EXPECT_LE(longest_line(text), static_cast<std::size_t>(length)) << text;
      }
}

TEST(picture, of_hostile_names_steers_no_terminal_and_is_xml) {
  for (const std::string name :
       {"<script>", "a&b", "\"'/>", "]]>", "a\nb\x1b[2J", "\xff\xfe", "\xe4", "&amp;"}) {
    const Mesh hostile({{name, 2}, {"z", 200}});
    for (const P& spec : {P(SpecEntry(name)), P(none, SpecEntry(name)), P("z").unreduced(SpecEntry(name))}) {
      const std::string text = picture({8, 8}, hostile, spec), svg = picture_svg({8, 8}, hostile, spec);
      EXPECT_EQ(shown_text(text).size(), text.size());
      EXPECT_EQ(text.find_first_of("\x1b\xff\xe4"), text.npos) << text;
      EXPECT_EQ(fault_of_xml(svg), "") << svg;
      EXPECT_EQ(svg.find("<script>"), svg.npos);
      EXPECT_EQ(svg.find_first_of("\x1b\xff\xe4"), svg.npos);
    }
  }
}

TEST(picture, refuses_arrays_without_data) {
  expect_refused([] { picture(abstract({4}, DType::f32)); },  // refused
                 "T011 {file}:{line}: picture: this array only stands for an argument of compile and has no "
                 "values; hand in data");
  expect_refused(
      traced([](const Array& x) {
        picture_svg(x);  // refused
        return x;
      }),
      "T011 {file}:{line}: picture_svg: where it lies is not known while its program is traced; draw "
      "what the compiled function returns, or a shape on a mesh");
  expect_refusal([] { picture(Array()); }, Code::trace, {"this array is empty"});
}

TEST(picture, refuses_options_that_leave_no_room) {
  expect_refusal([] { picture({4}, mesh, P("x"), {.line_length = 39}); }, Code::argument,
                 {"line_length is 39; a picture needs at least 40 characters"});
  expect_refusal([] { picture({4}, mesh, P("x"), {.most_rows = 1}); }, Code::argument, {"most_rows is 1;"});
}

TEST(picture, refuses_specs_that_do_not_fit) {
  expect_refusal([] { picture({4}, mesh, P("q")); }, Code::axis_unbound, {"axis 'q'"});
  expect_refusal([] { picture_svg({4}, mesh, P("x", "y")); }, Code::spec, {"drop the last 1"});
  expect_refusal([] { picture_svg({-4}, mesh, P("x")); }, Code::shape, {"-4"});
}

TEST(number_list, has_ranges_of_equal_steps) {
  for (const std::string text : {"0", "0,1", "0-2", "0,2,4,6", "0,2..8", "0-3,8", "3,2", "0,1,4,5", "7,0-3"})
    EXPECT_EQ(number_list(numbers_in(text)), text);
}

}  // namespace
}  // namespace tutti
