// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

Finished plan(const std::string& arguments) {
  return run_command(program_folder() + "/tutti plan " + arguments);
}
const std::string square = "--mesh x=4,y=2 --shape 64x64 ";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(plan, says_that_nothing_is_to_be_done) {
  const Finished run = plan(square + "--from 'P(x, none)' --to 'P(x)' --why");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with(
      "f32[64,64] on x=4,y=2, from P(x) to P(x)\nno step: every device holds what it needs\n"))
      << run.out;
}

TEST(plan, prints_a_row_for_each_step_with_totals_and_peak) {
  EXPECT_EQ(plan("--mesh x=2,y=2,z=2 --shape 8x8 --from 'P((x, y), z)' --to 'P(y)'").out,
            R"(f32[8,8] on x=2,y=2,z=2, from P((x, y), z) to P(y)

   op          moves                     sharding      block  sent  received  peers  about us  copies
                                         P((x, y), z)  2x4
1  permute     order of axes             P((y, x), z)  2x4    32 B      32 B      1       1.0  -
   over y, x: 2 -> 4, 3 -> 5, 4 -> 2, 5 -> 3
2  all_gather  x: 0 -> all, z: 1 -> all  P(y)          4x8    96 B      96 B      3       1.0  packed, 128 B
   over x, z: {0 1 4 5} {2 3 6 7}

total: 2 steps between devices, 0 local; 128 B received by a device; about 2.0 us
peak:  a block of 128 B; 288 B with operand, result and scratch of a step
)");
}

TEST(plan, prints_what_its_page_shows) {
  const std::string request = "--mesh x=4,y=2 --shape 4096x4096 --from 'P(x, y)' --to 'P(y, x)'";
  EXPECT_NE(text_of_file("docs/tool.md")
                .find("$ tutti plan " + request + " --run --svg docs/plan.svg\n" + plan(request).out),
            std::string::npos)
      << plan(request).out;
}

TEST(plan, is_json_with_all_that_the_table_says_and_more) {
  const nlohmann::json text = nlohmann::json::parse(
      plan(square + "--from 'P(x)' --to 'P(none, x)' --dtype f64 --link y=10 --json --run").out);
  EXPECT_EQ(text.at("request"), (nlohmann::json{{"mesh", "x=4,y=2"},
                                                {"shape", {64, 64}},
                                                {"dtype", "f64"},
                                                {"from", "P(x)"},
                                                {"to", "P(none, x)"},
                                                {"objective", "time"},
                                                {"cap", 1},
                                                {"links", {{"y", 10}}},
                                                {"direct", false},
                                                {"parts", true}}));
  ASSERT_EQ(text.at("steps").size(), 1U);
  nlohmann::json step = text.at("steps")[0];
  EXPECT_EQ(step.at("received_bytes"),
            16 * 64 * 8 * 3 / 4);  // of its 16 rows a device keeps one column in four
  EXPECT_EQ(step.at("sent_bytes"), 16 * 64 * 8 * 3 / 4);
  EXPECT_EQ(step.at("block_before"), (std::vector{16, 64}));
  EXPECT_EQ(step.at("block_after"), (std::vector{64, 16}));
  EXPECT_EQ(step.at("moves"), "x: 0 -> 1");
  for (const char* key : {"op", "axes", "groups", "before", "after", "peers", "scratch_bytes", "seconds"})
    EXPECT_TRUE(step.contains(key)) << key;
  EXPECT_EQ(text.at("totals").at("steps"), 1);
  EXPECT_EQ(text.at("totals").at("bytes"), step.at("received_bytes"));
  for (const char* key : {"peak_block_bytes", "peak_bytes", "others"}) EXPECT_TRUE(text.contains(key)) << key;
  EXPECT_TRUE(text.at("one_collective").contains("nvfuser"));
  EXPECT_EQ(text.at("run"), "every element is where it belongs");
}

TEST(plan, of_one_step_says_that_one_collective_is_enough) {
  const std::string sums =
      "--mesh y=3 --shape 6 --from 'P()+U(y)' --to 'P()' --to-mesh z=3 --to-devices 2,1,0 --why";
  EXPECT_NE(plan(sums).out.find("one collective: psum over y\n"), std::string::npos) << plan(sums).out;
}

TEST(plan, refuses_a_link_along_an_axis_of_neither_mesh) {
  const Finished run = plan("--mesh x=4 --shape 8 --from 'P(x)' --to 'P()' --to-mesh y=4 --link q=100");
  EXPECT_EQ(run.err,
            "tutti: error[T001]: --link names axis 'q', but the mesh is x=4 or y=4; use one of its axes\n");
}

TEST(plan, tells_on_request_why_others_lost) {
  const std::string request = square + "--from 'P(x, y)' --to 'P(y, x)'";
  const std::string all = plan(request + " --why").out, without = plan(request).out;
  EXPECT_TRUE(all.starts_with(without));
  EXPECT_NE(all.find("\none collective: "), std::string::npos) << all;
  EXPECT_NE(all.find("\nin nvFuser: "), std::string::npos);
  EXPECT_NE(all.find("\nother plans"), std::string::npos);
}

struct Request {
  const char *mesh, *shape, *from, *to, *more;
};
void PrintTo(const Request& request, std::ostream* out) { *out << request.from << " to " << request.to; }

class PlanRuns : public testing::TestWithParam<Request> {};

TEST_P(PlanRuns, and_every_element_is_where_it_belongs) {
  const auto& [mesh, shape, from, to, more] = GetParam();
  const Finished run = plan(std::string("--mesh '") + mesh + "' --shape '" + shape + "' --from '" + from +
                            "' --to '" + to + "' " + more + " --run");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("every element is where it belongs\n"), std::string::npos) << run.out;
}

INSTANTIATE_TEST_SUITE_P(
    requests, PlanRuns,
    testing::Values(
        Request{"x=2,y=3", "12x12", "P(x, y)", "P(y, x)", ""},
        Request{"x=2,y=3", "12x12x6", "P((x, y), none, none)", "P(none, y, x)", "--objective steps"},
        Request{"x=2,y=3", "36", "P((x, y))", "P((y, x))", "--objective bytes"},
        Request{"x=4,y=2", "8x8", "P(x, y)", "P(y, x)", "--dtype i8"},
        Request{"x=4,y=2", "8x8", "P(x)+U(y)", "P(none, (y, x))", ""},
        Request{"x=4,y=2", "8x8", "P()+U(x, y)", "P(y)", ""},
        Request{"x=4,y=2", "8x8", "P()+U(x)", "P(none, y)+U(x)", ""},
        Request{"x=4,y=2", "8x8", "P(x)", "P()+U(x, y)", "--dtype f16"},
        Request{"x=4,y=2", "8x8", "P(y)+R(x)", "P(none, y)", ""},
        Request{"x=4,y=2", "", "P()+U(x)", "P()", ""},
        Request{"x=2,y=2,z=2", "8x8x8", "P(x, y, z)", "P(z, x, y)", "--link y=10"},
        Request{"x=2,y=2,z=2", "8x8", "P((x, y), z)", "P(y)", "--direct"},
        Request{"x=4,y=2", "8x8", "P(x)", "P(none, y)", "--direct"},
        Request{"x=2,y=2,z=2", "8x8x8", "P(x, none, (y, z))", "P(none, x, (z, y))", "--direct"},
        Request{"a=2,b=2,c=2,d=2,e=2", "4x4x4x4x4", "P()+U(a, b, c, d, e)", "P(a, b, c, d, e)", "--direct"},
        Request{"x=2,y=1", "8", "P(x)+U(y)", "P()", ""}, Request{"x=1,y=2", "8", "P()+U(x, y)", "P(x)", ""},
        Request{"x=4,y=2", "12x5", "P(x)", "P(y)", ""}, Request{"x=2", "4x0", "P()+U(x)", "P(x)", ""},
        Request{"", "4", "P()", "P()", ""}));

INSTANTIATE_TEST_SUITE_P(uneven, PlanRuns,
                         testing::Values(Request{"x=4", "10x8", "P(x)", "P()", "--why"},
                                         Request{"x=4", "10x6", "P(x)", "P(none, x)", ""},
                                         Request{"x=4", "3", "P()", "P(x)", ""},
                                         Request{"x=2,y=2", "10x8", "P(x)", "P((x, y))", ""},
                                         Request{"x=2,y=3", "11x7", "P(x)+U(y)", "P(y, x)", ""},
                                         Request{"x=2,y=3", "11x7", "P(x)+U(y)", "P()+U(x)", "--direct"},
                                         Request{"x=4", "1x1", "P(x)", "P(none, x)", ""}));

INSTANTIATE_TEST_SUITE_P(
    meshes, PlanRuns,
    testing::Values(Request{"x=2", "8x8", "P(x)", "P(x)", "--devices 1,2 --to-devices 0,1"},
                    Request{"x=2", "8x8", "P(x)", "P()",
                            "--devices 1,2 --to-mesh z=2 --to-devices 0,2 --why"},
                    Request{"x=4", "10x8", "P(x)", "P(y)", "--to-mesh y=3"},
                    Request{"x=4", "8x8", "P()+U(x)", "P(y)+U(z)", "--to-mesh y=2,z=2 --to-devices 7,6,5,4"},
                    Request{"x=4", "8x8", "P(x)", "P(none, x)", "--devices 3,2,1,0"},
                    Request{"x=4", "8", "P()", "P()", "--devices 3,2,1,0 --to-devices 0,1,2,3"},
                    Request{"x=2,y=2", "8x8", "P(x)", "P(none, (x, y))", "--to-devices 3,2,1,0"},
                    Request{"x=4", "8x8", "P(x)", "P(x)", "--to-mesh x=1 --link x=10"}));

TEST(plan, prints_a_move_with_its_pairs) {
  EXPECT_EQ(
      plan("--mesh x=2 --devices 1,2 --shape 16x8 --from 'P(x)' --to 'P(x)' --to-devices 0,1 --run").out,
      R"(f32[16,8], from P(x) on x=2 on devices 1,2 to P(x) on x=2

   op         moves   sharding  block   sent  received  peers  about us  copies
                      P(x)      8x8
1  send_recv  to x=2  P(x)      8x8    256 B     256 B      1       1.0  -
   1 -> 0, 2 -> 1

total: 1 step between devices, 0 local; 256 B received by a device; about 1.0 us
peak:  a block of 256 B; 512 B with operand, result and scratch of a step
run:   on 3 virtual devices; every element is where it belongs
)");
}

TEST(plan, is_json_for_two_meshes) {
  const nlohmann::json text = nlohmann::json::parse(
      plan("--mesh x=2 --shape 10x8 --from 'P(x)' --to 'P(z)' --to-mesh z=3 --to-devices 0,1,5 --json").out);
  EXPECT_EQ(text.at("request").at("mesh"), "x=2");
  EXPECT_EQ(text.at("request").at("to_mesh"), "z=3 on devices 0,1,5");
  const nlohmann::json& step = text.at("steps").at(0);
  EXPECT_EQ(step.at("op"), "exchange of boxes");
  EXPECT_EQ(step.at("groups"), (nlohmann::json{{0, 1}, {1, 5}}));
  EXPECT_EQ(step.at("received_bytes"), 2 * 8 * 4);
  EXPECT_EQ(step.at("block_after"), (std::vector{4, 8}));
  EXPECT_EQ(text.at("one_collective").at("nvfuser"), "error: only even splits");
}

INSTANTIATE_TEST_SUITE_P(
    requests_with_parts, PlanRuns,
    testing::Values(Request{"x=8", "8x8", "P(x)", "P(x(1)4)", ""},
                    Request{"x=4", "8x8", "P(x)", "P(x(2)2, x(1)2)", "--why"},
                    Request{"x=8,y=2", "16x8", "P(x(1)2)+U(x(2)4)", "P(y, (x(4)2, x(1)2))", ""},
                    Request{"x=6", "12", "P(x(1)2)", "P((x(2)3, x(1)2))", "--link x=3"},
                    Request{"x=2,y=4", "16x16", "P(x)", "P(y)", ""},
                    Request{"x=6", "12", "P(x(1)2)", "P(x(1)3)", ""},
                    Request{"x=4", "10", "P(x(2)2)", "P(x(1)2)", "--devices 3,1,0,2"},
                    Request{"x=4,y=2", "8x8", "P(x, y)", "P(y, x)", "--objective bytes"}));

TEST(plan, cuts_axes_into_parts_unless_they_are_to_stay_whole) {
  const std::string request = "--mesh x=2,y=4 --shape 16x16 --from 'P(x)' --to 'P(y)'";
  const std::string cut = plan(request).out, whole = plan(request + " --whole-axes").out;
  EXPECT_TRUE(cut.starts_with("f32[16,16] on x=2,y=4, from P(x) to P(y)\n")) << cut;
  EXPECT_NE(cut.find("P((x, y(2)2))"), std::string::npos) << cut;
  EXPECT_EQ(whole.find("(1)2"), std::string::npos) << whole;
  const nlohmann::json text = nlohmann::json::parse(plan(request + " --json").out);
  EXPECT_EQ(text.at("request").at("mesh"), "x=2,y=4");
  EXPECT_EQ(text.at("steps")[0].at("after"), "P((x, y(2)2))");
}

struct BadRequest {
  const char *arguments, *error;
  int status;
};
void PrintTo(const BadRequest& request, std::ostream* out) { *out << request.arguments; }

class PlanRefuses : public testing::TestWithParam<BadRequest> {};

TEST_P(PlanRefuses, in_one_message_with_what_to_do) {
  const Finished run = plan(GetParam().arguments);
  EXPECT_EQ(run.status, GetParam().status);
  EXPECT_EQ(run.err, std::string("tutti: error") + GetParam().error + "\n");
  EXPECT_EQ(run.out, "");
}

#define MESH "--mesh x=4,y=2 "
#define ENDS "--from 'P(x)' --to 'P(y)' "
INSTANTIATE_TEST_SUITE_P(
    requests, PlanRefuses,
    testing::Values(
        BadRequest{MESH ENDS, "[R002]: --shape is required; see tutti plan --help", 1},
        BadRequest{"--mash x=4 --shape 8 " ENDS, "[R002]: there is no option --mash; see tutti plan --help",
                   1},
        BadRequest{MESH "--devices 0,1 --shape 8 " ENDS,
                   "[T014]: --devices: a mesh of 8 devices has a list of 2; name one for each position", 2},
        BadRequest{MESH "--to-devices 0,1,2,3,4,5,6,6 --shape 8 " ENDS,
                   "[T014]: --to-devices: device 6 stands at two positions of the mesh; name it once", 2},
        BadRequest{
            MESH "--devices 0,one --shape 8 " ENDS,
            "[R002]: --devices: 'one' in '0,one' is not the number of a device; write for example 2,0,1", 1},
        BadRequest{MESH "--to-devices 0, --shape 8 " ENDS,
                   "[R002]: --to-devices: '' in '0,' is not the number of a device; write for example 2,0,1",
                   1},
        BadRequest{MESH "--to-mesh z --shape 8 " ENDS,
                   "[T014]: --to-mesh: 'z' is not an axis and its size; write for example data=4,model=2", 2},
        BadRequest{MESH "--to-mesh z=2 --shape 8 " ENDS,
                   "[T001]: --to: there is no axis 'y', the mesh is z=2; use one of its axes\n"
                   "  P(y)\n"
                   "    ^",
                   2},
        BadRequest{"--mesh x --shape 8 " ENDS,
                   "[T014]: mesh: 'x' is not an axis and its size; write for example data=4,model=2", 2},
        BadRequest{"--mesh a+b=4 --shape 8 " ENDS,
                   "[T014]: mesh: an axis cannot be called 'a+b' in P(..); take a name without blanks, "
                   "brackets and '+', other than none",
                   2},
        BadRequest{
            "--mesh x=65536 --shape 65536 --from 'P(x)' --to 'P()' --run",
            "[R003]: --run: the blocks of all devices, of i32, would take 32.0 GiB, more than 2; try a "
            "smaller shape",
            5},
        BadRequest{"--mesh x=4,x=2 --shape 8 " ENDS,
                   "[T014]: mesh: axis 'x' is named twice; give every axis its own name", 2},
        BadRequest{MESH "--shape 8xy " ENDS,
                   "[R002]: --shape: 'y' in '8xy' is not the size of a dim; write for example 4096x4096", 1},
        BadRequest{MESH "--shape 8x-8 " ENDS,
                   "[R002]: --shape: '-8' in '8x-8' is not the size of a dim; write for example 4096x4096",
                   1},
        BadRequest{MESH "--shape 8x " ENDS,
                   "[R002]: --shape: '' in '8x' is not the size of a dim; write for example 4096x4096", 1},
        BadRequest{
            MESH "--shape 8 --dtype f31 " ENDS,
            "[R002]: --dtype: there is no 'f31'; use one of bool, u8, i8, u16, i16, u32, i32, u64, i64, "
            "f16, bf16, f32, f64, complex64, complex128",
            1},
        BadRequest{MESH "--shape 8 --objective speed " ENDS,
                   "[R002]: --objective: there is no 'speed'; use time, bytes or steps", 1},
        BadRequest{MESH "--shape 8 --cap much " ENDS,
                   "[R002]: --cap: 'much' is not a number above 0; write for example 1.5", 1},
        BadRequest{MESH "--shape 8 --cap 0 " ENDS,
                   "[R002]: --cap: '0' is not a number above 0; write for example 1.5", 1},
        BadRequest{MESH "--shape 8 --link y " ENDS,
                   "[R002]: --link: 'y' is not an axis and the cost of a byte; write for example y=10", 1},
        BadRequest{MESH "--shape 8 --link y=-1 " ENDS,
                   "[R002]: --link: 'y=-1' is not an axis and the cost of a byte; write for example y=10", 1},
        BadRequest{MESH "--shape 8 --link q=2 " ENDS,
                   "[T001]: --link names axis 'q', but the mesh is x=4,y=2; use one of its axes", 2},
        BadRequest{MESH "--shape 8 --link y=2 --link y=3 " ENDS,
                   "[R002]: --link: axis 'y' has two costs; give one", 1}));

INSTANTIATE_TEST_SUITE_P(
    plans, PlanRefuses,
    testing::Values(
        BadRequest{MESH "--shape 8 --dtype bool --from 'P()+U(x)' --to 'P()'",
                   "[T007]: P()+U(x) of bool[8]: bool has no sums; convert it", 2},
        BadRequest{MESH "--shape 8x8 --from 'P(x)' --to 'P()' --cap 0.5",
                   "[R003]: no plan from P(x) to P() keeps every block within 0.5 times 256 bytes; the least "
                   "cap that would do is 1",
                   5}));

INSTANTIATE_TEST_SUITE_P(
    shardings, PlanRefuses,
    testing::Values(
        BadRequest{MESH "--shape 8x8 --from 'P(x, )' --to 'P()'",
                   "[T013]: --from: there must be an axis, none, or several axes in brackets here\n"
                   "  P(x, )\n"
                   "       ^",
                   2},
        BadRequest{MESH "--shape 8x8 --from 'P(x)' --to 'P((y, q))'",
                   "[T001]: --to: there is no axis 'q', the mesh is x=4,y=2; use one of its axes\n"
                   "  P((y, q))\n"
                   "        ^",
                   2},
        BadRequest{MESH "--shape 8x8 --from 'P(x)+U(x)' --to 'P()'",
                   "[T013]: --from: axis 'x' is named twice; name it once\n"
                   "  P(x)+U(x)\n"
                   "         ^",
                   2},
        BadRequest{
            MESH "--shape 8x8 --from 'P(x(3)2)' --to 'P()'",
            "[T013]: --from: 3 times 2 does not divide 4, the size of axis 'x'; x(3)2 is no part of it\n"
            "  P(x(3)2)\n"
            "    ^",
            2},
        BadRequest{MESH "--shape 8x8 --from 'P(x, y, none)' --to 'P()'",
                   "[T013]: --from: it names 3 dims, but f32[8,8] has 2; drop the last 1\n"
                   "  P(x, y, none)\n"
                   "          ^",
                   2},
        BadRequest{
            MESH "--shape 8x8 --from 'P()+max(x)' --to 'P()'",
            "[T013]: --from: 'max' is neither U, terms of a sum, nor R, partial gradients; terms of a "
            "maximum, a minimum or a product are not linear: reduce them first, for example with pmax\n"
            "  P()+max(x)\n"
            "      ^",
            2}));

class PlanPicture : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string drawn(const std::string& request) {
    const Finished run = plan(request + " --svg " + path_);
    EXPECT_EQ(run.status, 0) << run.err;
    return text_of_file(path_);
  }
  std::string path_ = testing::TempDir() + "tutti_plan_" + std::to_string(::getpid()) + ".svg";
};

TEST_F(PlanPicture, has_a_tile_for_each_device_in_each_state) {
  const std::string svg = drawn(square + "--from 'P(x)' --to 'P(none, x)'");
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "fill=\"#"), 2U * 8 + 1);     // two states, and the legend
  EXPECT_EQ(count(svg, "stroke=\"#222\""), 2U * 4);  // frames: two devices hold each block
  std::set<std::string> colours;
  const std::regex fill("fill=\"(#[0-9a-f]{6})\"");
  for (std::sregex_iterator it(svg.begin(), svg.end(), fill), end; it != end; ++it) colours.insert((*it)[1]);
  EXPECT_EQ(colours.size(), 8U);
  for (const char* text : {">f32[64,64] on x=4,y=2<", ">before<", ">P(x)<", ">P(none, x)<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
}

TEST_F(PlanPicture, is_that_of_the_readme) {
  EXPECT_EQ(drawn("--mesh x=4,y=2 --shape 4096x4096 --from 'P(x, y)' --to 'P(y, x)'"),
            text_of_file("docs/plan.svg"));
}

TEST_F(PlanPicture, has_the_last_device_in_the_last_corner) {
  const std::string svg = drawn("--mesh x=2,y=2 --shape 8x8 --from 'P(x, y)' --to 'P(x, y)'");
  EXPECT_NE(svg.find("<rect x=\"124.0\" y=\"178.0\" width=\"100.0\" height=\"100.0\" fill"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<text x=\"174.0\" y=\"232.0\" text-anchor=\"middle\">3<"), std::string::npos) << svg;
}

TEST_F(PlanPicture, names_the_devices_of_the_machine) {
  const std::string svg =
      drawn("--mesh x=2 --devices 5,7 --shape 8 --from 'P(x)' --to 'P(x)' --to-devices 7,6");
  EXPECT_NE(svg.find(">f32[8] on x=2 on devices 5,7, then on x=2 on devices 7,6<"), std::string::npos) << svg;
  for (const char* text : {">5<", ">6<", ">7<", ">1. send_recv<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(svg.find(">0<"), std::string::npos);
  EXPECT_NE(drawn("--mesh x=4 --shape 3 --from 'P()' --to 'P(x)'").find(">without a block: 3<"),
            std::string::npos);
}

TEST_F(PlanPicture, marks_terms_of_a_sum) {
  const std::string svg = drawn("--mesh x=2 --shape 8 --from 'P()+U(x)' --to 'P(x)'");
  EXPECT_NE(svg.find(">+1<"), std::string::npos);
  EXPECT_NE(svg.find(">1<"), std::string::npos);
}

TEST_F(PlanPicture, says_which_dims_of_many_it_draws) {
  EXPECT_NE(drawn("--mesh x=2 --shape 2x2x2 --from 'P(x)' --to 'P(none, none, x)'")
                .find("drawn: dims 0 and 1 of 3"),
            std::string::npos);
}

TEST_F(PlanPicture, squeezes_texts_that_are_too_long) {
  const std::string svg = drawn(
      "--mesh replicas_of_the_model=2,parts_of_the_model=2 --shape 8x8 --from 'P(replicas_of_the_model, "
      "parts_of_the_model)' --to 'P((parts_of_the_model, replicas_of_the_model))'");
  EXPECT_NE(svg.find("<title>P(replicas_of_the_model, parts_of_the_model)</title><text "), std::string::npos)
      << svg;
  const std::string squeezed = " textLength=\"200\" lengthAdjust=\"spacingAndGlyphs\">";
  EXPECT_NE(svg.find(squeezed + "P(replicas_of_the_model, parts_of_the_model)<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(squeezed + "P((parts_of_the_model, replicas_of_the_mod..<"), std::string::npos) << svg;
}

TEST(plan, refuses_a_picture_that_cannot_be_written) {
  const Finished run = plan(square + "--from 'P(x)' --to 'P()' --svg nowhere/picture.svg");
  EXPECT_EQ(run.status, 4);
  EXPECT_TRUE(run.err.starts_with("tutti: error[R001]: 'nowhere/picture.svg' cannot be written")) << run.err;
  EXPECT_EQ(run.out, "");
}

TEST(plan, has_help_for_each_option) {
  const Finished run = plan("--help");
  EXPECT_EQ(run.status, 0);
  for (const char* option :
       {"--mesh", "--shape", "--dtype", "--from", "--to", "--cap", "--link", "--objective", "--direct",
        "--whole-axes", "--why", "--json", "--svg", "--run", "--devices", "--to-mesh", "--to-devices"})
    EXPECT_NE(run.out.find(std::string(option) + " "), std::string::npos) << option;
}

}  // namespace
}  // namespace tutti
