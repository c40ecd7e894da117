// SPDX-License-Identifier: Apache-2.0
// The law of pictures: they show the blocks that types/block.hpp defines, of all shardings of small meshes.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/page/drawn.hpp"
#include "tests/support/shardings.hpp"

#include "tutti/base/inside.hpp"
#include "tutti/page/svg_picture.hpp"
#include "tutti/page/text_picture.hpp"

namespace tutti {
namespace {

struct Expected {
  std::map<int, Box> blocks;  // by device
  std::vector<int> without_block;
  std::set<std::vector<std::int64_t>> distinct;  // begin and end of all
};

Expected expected_of(const Sharding& sharding, const Shape& whole) {
  Expected expected;
  for (int position = 0; position < sharding.mesh.devices(); ++position) {
    const Box box = block(position, sharding, whole);
    const int device = sharding.mesh.device_id(position);
    if (box.elements() == 0) {
      expected.without_block.push_back(device);
      continue;
    }
    expected.blocks[device] = box;
    std::vector<std::int64_t> numbers = box.begin;
    numbers.insert(numbers.end(), box.end.begin(), box.end.end());
    expected.distinct.insert(numbers);
  }
  return expected;
}

struct Case {
  Sharding sharding;
  Shape whole;
};

/// All shardings of meshes of up to 8 devices, of shapes that divide and of others.
std::vector<Case> cases(int least_rank, int most_rank) {
  const std::vector<Mesh> meshes{mesh_of("x4 y2"), mesh_of("x2 y2 z2"), mesh_of("x3"),
                                 Mesh({{"x", 2}, {"y", 3}}, {.devices = {5, 4, 0, 9, 2, 7}})};
  const std::vector<Shape> shapes{{}, {8}, {5}, {8, 4}, {7, 3}, {1, 9}, {8, 4, 8}, {5, 2, 3}, {2, 3, 4, 5}};
  std::vector<Case> all;
  for (const Mesh& mesh : meshes)
    for (const Shape& whole : shapes)
      if (whole.rank() >= least_rank && whole.rank() <= most_rank)
        for (const Sharding& sharding : all_shardings(mesh, whole.rank(), Sums::included))
          all.push_back({sharding, whole});
  return all;
}

std::string name_of(const Case& one) {
  return to_string(one.whole) + " on " + to_string(one.sharding.mesh) + ": " + to_string(one.sharding);
}

TEST(blocks_of_a_picture, are_those_of_the_sharding_in_text) {
  for (const Case& one : cases(0, 4)) {
    const Expected expected = expected_of(one.sharding, one.whole);
    const std::string text = text_picture({"f32", one.whole, one.sharding}, {.line_length = 200});
    const ReadText read = read_text(text, one.whole);
    ASSERT_EQ(read.blocks, expected.blocks) << name_of(one) << "\n" << text;
    ASSERT_TRUE(read.twice.empty()) << text;
    ASSERT_EQ(read.without_block, expected.without_block) << text;
  }
}

TEST(blocks_of_a_picture, are_tiles_once_for_each_device_and_no_frames_overlap) {
  for (const Case& one : cases(0, 3)) {
    const Expected expected = expected_of(one.sharding, one.whole);
    const std::string svg = svg_picture({"f32", one.whole, one.sharding});
    ASSERT_EQ(fault_of_xml(svg), "") << svg;
    const ReadSvg read = read_svg(svg);
    ASSERT_EQ(read.frames.size(), expected.distinct.size()) << name_of(one) << "\n" << svg;
    std::set<std::string> wanted, found;
    for (const auto& [device, box] : expected.blocks)
      wanted.insert((one.sharding.unreduced.empty() ? "" : "+") + std::to_string(device));
    ASSERT_EQ(read.tiles.size(), wanted.size()) << name_of(one);
    for (const ReadFrame& tile : read.tiles) {
      ASSERT_EQ(tile.texts.size(), 1U) << name_of(one) << "\n" << svg;
      found.insert(tile.texts[0]);
    }
    ASSERT_EQ(found, wanted) << name_of(one);
    for (std::size_t i = 0; i < read.frames.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) ASSERT_FALSE(overlap(read.frames[i], read.frames[k])) << svg;
  }
}

/// Where a frame begins and ends along a dim, as the elements of a dim whose `size` elements fill the panel.
std::pair<double, double> elements(double begin, double length, double least, double most,
                                   std::int64_t size) {
  const double each = (most - least) / static_cast<double>(size);
  return {(begin - least) / each, (begin + length - least) / each};
}

TEST(blocks_of_a_picture, have_frames_to_scale_in_row_major_order) {
  for (const Case& one : cases(2, 2)) {
    const Expected expected = expected_of(one.sharding, one.whole);
    const std::string svg = svg_picture({"f32", one.whole, one.sharding});
    const double left = 24 + 76, top = 50 + 18, side = 400;
    for (const ReadFrame& frame : read_svg(svg).frames)
      for (const std::string& text : frame.texts) {
        const Box& box = expected.blocks.at(std::stoi(text));
        const auto [first_row, last_row] = elements(frame.top, frame.height, top, top + side, one.whole[0]);
        const auto [first, last] = elements(frame.left, frame.width, left, left + side, one.whole[1]);
        ASSERT_NEAR(first_row, static_cast<double>(box.begin[0]), 0.01) << name_of(one) << "\n" << svg;
        ASSERT_NEAR(last_row, static_cast<double>(box.end[0]), 0.01) << name_of(one) << "\n" << svg;
        ASSERT_NEAR(first, static_cast<double>(box.begin[1]), 0.01) << name_of(one) << "\n" << svg;
        ASSERT_NEAR(last, static_cast<double>(box.end[1]), 0.01) << name_of(one) << "\n" << svg;
      }
  }
}

TEST(blocks_of_a_picture, are_counted_on_large_meshes) {
  const Mesh mesh = mesh_of("x16 y16 z16");
  const std::string svg = svg_picture({"f32", {64, 64}, sharding_of(mesh, 2, "[y][]")});
  EXPECT_EQ(fault_of_xml(svg), "");
  const ReadSvg read = read_svg(svg);
  ASSERT_EQ(read.tiles.size(), 16U);
  for (const ReadFrame& tile : read.tiles) EXPECT_EQ(tile.texts, std::vector<std::string>{"256 devices"});
  EXPECT_NE(svg.find(">y=15 60:64<"), std::string::npos);
}

TEST(blocks_of_a_picture, have_readable_numbers_where_tiles_would_be_narrow) {
  const std::string svg = svg_picture({"f32", {64}, sharding_of(mesh_of("x64"), 1, "[x]")});
  const ReadSvg read = read_svg(svg);
  ASSERT_EQ(read.tiles.size(), 6U);
  EXPECT_EQ(read.tiles[0].texts, std::vector<std::string>{"0"});
  EXPECT_EQ(read.tiles[5].texts, std::vector<std::string>{"63"});
}

TEST(blocks_of_a_picture, are_few_on_the_largest_mesh) {
  const Mesh mesh = mesh_of("x256 y256");
  const std::string svg = svg_picture({"f32", {256, 256}, sharding_of(mesh, 2, "[x][y]")});
  EXPECT_EQ(read_svg(svg).tiles.size(), 16U * 6);
  EXPECT_NE(svg.find(">65535<"), std::string::npos);
  EXPECT_LT(svg.size(), 30'000U);
}

TEST(fault_of_xml, is_found) {
  for (const char* wrong :
       {"", "<a>", "<a></b>", "<a>&</a>", "<a b=c/>", "<a/><a/>", "<a><b</a>", "<a>\x1b</a>", "x"})
    EXPECT_NE(fault_of_xml(wrong), "") << wrong;
  EXPECT_EQ(fault_of_xml("<a b=\"c\"><d/>&lt;</a>\n"), "");
}

}  // namespace
}  // namespace tutti
