// SPDX-License-Identifier: Apache-2.0
// to_json() and save_page(): the members, the source lines, hostile names, files that cannot be written.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/expect_refusal.hpp"
#include "tests/support/file_text.hpp"
#include "tests/tensor/file_test.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using nlohmann::json;

/// Files in a folder of the test that is gone with it.
class page_json : public FileTest {
 protected:
  page_json() : FileTest("page_json") {}
};
class save_page : public FileTest {
 protected:
  save_page() : FileTest("save_page") {}
};

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

const Mesh grid({{"data", 2}, {"model", 2}});

Array mean(const Array& x) { return x / pmean(x, "data"); }

Compiled<Array, Array> compiled(const Machine& machine) {
  return machine.compile(shard_map(mean, {.mesh = machine.mesh(), .in = P("data"), .out = P("data")}),
                         abstract({4}, DType::f32));
}

TEST_F(page_json, has_rows_with_one_letter_per_axis) {
  const json all = json::parse(to_json(compiled(open_local(grid)).report()));
  EXPECT_EQ(all["mesh"], json::parse(R"([["data", 2], ["model", 2]])"));
  const json& rows = all["program"]["rows"];
  EXPECT_EQ(rows[0]["op"], "enter");
  EXPECT_EQ(rows[0]["results"][0][1], "f32[2]");
  EXPECT_EQ(rows[0]["results"][0][2], "VI");
  EXPECT_EQ(rows[1]["op"], "all_reduce");
  EXPECT_EQ(rows[1]["results"][0][2], "II");
  EXPECT_EQ(rows[1]["traffic"]["axes"], json::parse(R"(["data"])"));
  EXPECT_EQ(rows[1]["traffic"]["received"], 8);
  EXPECT_EQ(all["outcome"]["kind"], "steps");
  EXPECT_EQ(all["outcome"]["workers"].get<int>() > 0, true);
}

TEST_F(page_json, says_which_row_makes_the_value_of_a_buffer) {
  const auto f = [](const Array& x) {
    const Array y = matmul(x, x), z = matmul(y, x);
    const Array total = reduce_sum(z, 0);
    return matmul(z, y) + total;
  };
  const auto run = open_local(grid).compile(f, abstract({16, 16}, DType::f32));
  const json all = json::parse(to_json(run.report()));
  const json &rows = all["program"]["rows"], &steps = all["outcome"]["steps"];
  std::vector<std::size_t> products;
  for (const json& buffer : all["outcome"]["buffers"]) {
    if (buffer["kind"] == "constant") continue;
    const auto row = buffer.at("row").get<std::size_t>();
    const std::string op = rows[row]["op"];
    EXPECT_TRUE(buffer["value"].get<std::string>().starts_with(op + " ")) << buffer;
    const auto made = steps[buffer["first"].get<std::size_t>()]["rows"].get<std::vector<std::size_t>>();
    EXPECT_TRUE(std::ranges::find(made, row) != made.end()) << buffer;
    if (op == "dot_general") products.push_back(row);
  }
  std::ranges::sort(products);
  ASSERT_GE(products.size(), 2U);
  EXPECT_NE(products[0], products[1]);  // both are of one line
}

TEST_F(page_json, has_the_source_lines_of_rows) {
  const json all = json::parse(to_json(compiled(open_local(grid)).report()));
  const json& at = all["program"]["rows"][1]["at"];
  const std::string file = all["files"][at[0].get<std::size_t>()];
  EXPECT_TRUE(file.ends_with("tests/page/save_page_test.cpp")) << file;
  const json& lines = all["sources"][at[0].get<std::size_t>()];
  EXPECT_EQ(lines[std::to_string(at[1].get<int>())],
            "Array mean(const Array& x) { return x / pmean(x, \"data\"); }");
}

TEST_F(page_json, shows_no_lines_of_files_that_are_no_sources) {
  const std::string secret = path("passwords.txt"), text = path("step.mlir");
  write(secret, "root:x:0:0\n");
  write(text, "module { func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
              "%0 = stablehlo.add %a, %a : tensor<4xf32> loc(\"" +
                  secret +
                  "\":1:1)\n"
                  "return %0 : tensor<4xf32> } }\n");
  const Loaded program = load(text);
  const Machine machine = open_local(Mesh());
  const std::vector<Array> arguments{abstract({4}, DType::f32)};
  const std::string all = to_json(machine.compile(program, arguments).report());
  EXPECT_NE(all.find("passwords.txt"), std::string::npos) << all;
  EXPECT_EQ(all.find("root:x"), std::string::npos) << all;
}

TEST_F(save_page, writes_one_file_with_its_data_inside) {
  const auto run = compiled(open_local(grid));
  tutti::save_page(path("step.html"), run);
  const std::string page = text_of_file(path("step.html"));
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  for (const char* place : {"{{data}}", "{{title}}", "{{page.css}}", "{{start.js}}"})
    EXPECT_EQ(page.find(place), std::string::npos) << place;
  EXPECT_NE(page.find("save_page_test.cpp</title>"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
}

TEST_F(save_page, escapes_names_that_would_end_the_script) {
  const std::string hostile = "</script><b>\"'&" + std::string(10'000, 'x') + "\n\xff";
  const Mesh mesh({{hostile, 2}});
  const auto sum = [&](const Array& x) { return psum(x, hostile); };
  const SpecEntry entry{hostile};
  const auto run = open_local(mesh).compile(shard_map(sum, {.mesh = mesh, .in = P(entry), .out = P()}),
                                            abstract({4}, DType::f32));
  tutti::save_page(path("hostile.html"), run);
  const std::string page = text_of_file(path("hostile.html"));
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  const std::size_t begin = page.find("id=\"data\">"), end = page.find("</script>", begin);
  const json data = json::parse(page.substr(begin + 10, end - begin - 10));
  EXPECT_TRUE(data["mesh"][0][0].get<std::string>().starts_with("</script><b>"));
}

TEST_F(save_page, shows_a_refused_program) {
  try {
    const auto wrong = [](const Array& x) {
      const Array twice = x * 2.0;
      return twice + psum(x, "modle");
    };
    open_local(grid).compile(wrong, abstract({4}, DType::f32));
    FAIL() << "it compiles";
  } catch (const Error& error) {
    tutti::save_page(path("refused.html"), error);
  }
  const std::string page = text_of_file(path("refused.html"));
  EXPECT_NE(page.find("\"kind\":\"refused\",\"code\":\"T001\""), std::string::npos);
  EXPECT_NE(page.find("\"op\":\"mul\""), std::string::npos);
}

TEST_F(save_page, refuses_a_file_that_cannot_be_written) {
  const auto run = compiled(open_local(grid));
  expect_refusal([&] { tutti::save_page("/nowhere/step.html", run); }, Code::file, {"'/nowhere/step.html'"});
}

}  // namespace
}  // namespace tutti
