// SPDX-License-Identifier: Apache-2.0
// docs/stablehlo.md: its C++ stands here, its Python is cut out of the page and run by the pinned jaxlib.
#include <fmt/format.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/command.hpp"
#include "tests/support/oracle.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// As the page has it.
// clang-format off
Array loss(const Array& w, const Array& x) { return pmean(mean(square(tanh(matmul(x, w)))), "data"); }

std::string text_of_the_page() {
  const Mesh mesh({{"data", 4}});
  auto step = shard_map(value_and_grad(loss), {.mesh = mesh, .in = {P(), P("data")}, .out = P()});
  const std::tuple arguments{abstract({3, 2}, DType::f32), abstract({8, 3}, DType::f32)};
  return lower_text(step, arguments);
}
// clang-format on

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The lines of the page's block in this language.
std::vector<std::string> block(const std::string& language) {
  std::vector<std::string> code;
  bool inside = false;
  for (const std::string& line : lines_of("docs/stablehlo.md")) {
    if (line.starts_with("```")) inside = line == "```" + language;
    else if (inside) code.push_back(line);
  }
  return code;
}

TEST(stablehlo_page, shows_the_program_of_this_test) {
  const std::vector<std::string> self = lines_of("tests/oracle/stablehlo_doc_test.cpp"), code = block("cpp");
  const auto is_here = [&](const std::string& line) { return std::ranges::count(self, line) >= 1; };
  for (const std::string& line : code)
    EXPECT_TRUE(is_here(line) || line.starts_with("#include") || line.starts_with("using ") ||
                line.starts_with("int main") || line.find("std::ofstream") != line.npos)
        << line;
  EXPECT_EQ(code.size(), 12U);
}

/// "0.123456 .. -0.5": the numbers as the script prints them, up to their roundings.
std::vector<double> numbers_in(std::string text) {
  for (char& c : text)
    if (std::string_view("[]").find(c) != std::string_view::npos) c = ' ';
  std::istringstream words(text);
  std::vector<double> found;
  for (std::string word; words >> word;)
    if (word != "loss" && word != "gradient") found.push_back(std::stod(word));
  return found;
}

std::vector<double> our_numbers() {
  auto line = [](double from, double to, int n) {
    std::vector<float> values;
    for (int i = 0; i < n; ++i) values.push_back(static_cast<float>(from + (to - from) * i / (n - 1)));
    return values;
  };
  const Mesh mesh({{"data", 4}});
  const Array w = Tensor({3, 2}, line(-1, 1, 6)), x = Tensor({8, 3}, line(0, 1, 24));
  auto step = shard_map(value_and_grad(loss), {.mesh = mesh, .in = {P(), P("data")}, .out = P()});
  auto [value, gradient] = open_local(mesh, {.workers = 1}).compile(step, w, x)(w, x);
  std::vector<double> all{value.item()};
  for (float element : gradient.values<float>()) all.push_back(element);
  return all;
}

using stablehlo_page_in_python = OracleTest;

TEST_F(stablehlo_page_in_python, prints_our_numbers) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("tutti_stablehlo_{}", getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "step.mlir") << text_of_the_page();
  std::ofstream script(folder / "run.py");
  for (const std::string& line : block("python")) script << line << "\n";
  script.close();
  const char* named = std::getenv("TUTTI_PYTHON");
  const auto python = std::filesystem::absolute(named ? named : ".venv/bin/python");
  const Finished run = run_command(
      fmt::format("cd {} && JAX_PLATFORMS=cpu PJRT_NPROC=64 {} run.py", folder.string(), python.string()));
  std::filesystem::remove_all(folder);
  ASSERT_EQ(run.status, 0) << run.err;
  ASSERT_TRUE(run.out.starts_with("loss ")) << run.out;
  const std::vector<double> theirs = numbers_in(run.out), ours = our_numbers();
  ASSERT_EQ(theirs.size(), ours.size()) << run.out;
  // Sums of 24 terms below 2, printed with 8 digits.
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(theirs[i], ours[i], 4e-6) << "number " << i;
}

using lower_text_in_xla = OracleTest;

/// The one result of XLA on device 0, for the text with these whole arguments.
Tensor by_xla(const std::string& text, int devices, const std::vector<Tensors>& inputs) {
  const Verdict verdict = Oracle::shared().run(text, devices, inputs);
  EXPECT_EQ(verdict.errors, std::vector<std::string>{}) << text;
  EXPECT_EQ(verdict.failure, "");
  return verdict.results.empty() ? Tensor() : verdict.results[0][0];
}

TEST_F(lower_text_in_xla, runs_in_the_forms_of_partitions) {
  const Mesh mesh({{"i", 4}});
  auto body = [](const Array& x) { return psum(x * x, "i"); };
  auto total = shard_map(body, {.mesh = mesh, .in = P("i"), .out = P()});
  Tensors parts;
  for (int device = 0; device < 4; ++device)
    parts.push_back(Tensor({2}, std::vector<double>{1.0 * device, 2.0 + device}));
  const Tensor expected({2}, std::vector<double>{0 + 1 + 4 + 9, 4 + 9 + 16 + 25});
  for (TextForm form : {TextForm::global, TextForm::per_device}) {
    const std::string text = lower_text(total, std::tuple{abstract({8}, DType::f64)}, {.form = form});
    EXPECT_EQ(by_xla(text, 4, {parts}), expected);
  }
}

TEST_F(lower_text_in_xla, runs_functions_of_whole_arrays_on_one_device_and_on_several) {
  const Tensor x({3}, std::vector<double>{1, 2, 3});
  auto jacobian = jacfwd([](const Array& y) { return y * y; });
  const Tensor expected({3, 3}, std::vector<double>{2, 0, 0, 0, 4, 0, 0, 0, 6});
  for (TextForm form : {TextForm::global, TextForm::per_device, TextForm::replicas})
    EXPECT_EQ(by_xla(lower_text(jacobian, std::tuple{Array(x)}, {.form = form}), 1, {{x}}), expected);
  const TextOptions on_four{.mesh = Mesh({{"i", 4}})};
  EXPECT_EQ(by_xla(lower_text(jacobian, std::tuple{Array(x)}, on_four), 4, {Tensors(4, x)}), expected);
}

TEST_F(lower_text_in_xla, has_the_data_that_the_function_closes_over) {
  const Tensor x({3}, std::vector<double>{1, 2, 3});
  const Array scale = Tensor({3}, std::vector<double>{10, 20, 40});
  auto f = [&](const Array& y) { return y * scale; };
  EXPECT_EQ(by_xla(lower_text(f, std::tuple{Array(x)}), 1, {{x}}),
            Tensor({3}, std::vector<double>{10, 40, 120}));
}

}  // namespace
}  // namespace tutti
