// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/kernels/all_gather.hpp"
#include "tests/kernels/text_rows.hpp"

namespace tutti::kernels {
namespace {

std::string text_after(const std::string& text, std::string_view mark, std::string_view end) {
  const std::size_t begin = text.find('\n', text.find(mark)) + 1;
  std::istringstream lines(text.substr(begin, text.find(end, begin) - begin));
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (!line.empty()) all += (all.empty() ? "" : " ") + line;
  }
  return all;
}

TEST(kernel_text, of_each_op_is_as_triton_prints_it_and_generic) {
  for (const Row& row : text_rows) {
    const Function function = kernel_of(row);
    EXPECT_EQ(text_after(triton_text(function), "%15 = ", "    tt.return"), row.triton);
    EXPECT_EQ(text_after(mlir_generic_text(function), "%15 = ", "    \"tt.return"), row.generic);
  }
}

std::string number_text(ValueType type, double value) {
  Builder b("number");
  b.constant(std::move(type), value);
  return text_after(triton_text(std::move(b).finish()), "tt.func", "    tt.return");
}

TEST(kernel_text, keeps_every_bit_of_a_float) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(number_text(value_of(Scalar::f16), 1.5), "%0 = arith.constant 1.500000e+00 : f16");
  EXPECT_EQ(number_text(value_of(Scalar::bf16), -inf), "%0 = arith.constant 0xFF80 : bf16");
  EXPECT_EQ(number_text(value_of(Scalar::f32), inf), "%0 = arith.constant 0x7F800000 : f32");
  EXPECT_EQ(number_text(value_of(Scalar::f64), std::nan("")), "%0 = arith.constant 0x7FF8000000000000 : f64");
  EXPECT_EQ(number_text(value_of(Scalar::f32, {4}), 0.1f),
            "%0 = arith.constant dense<1.00000001490116119e-01> : tensor<4xf32>");
}

/// Compares with a file of tests/kernels/golden. TUTTI_PRINT=1 writes it instead.
void expect_golden(const std::string& file, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path("tests/kernels/golden") / file;
  if (std::getenv("TUTTI_PRINT") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(golden.str(), text) << path;
}

TEST(kernel_text, of_an_all_gather_by_exchange_is_the_golden_one) {
  const Function kernel = all_gather_by_exchange();
  expect_golden("all_gather_by_exchange.ttir", triton_text(kernel));
  expect_golden("all_gather_by_exchange.generic.ttir", mlir_generic_text(kernel));
}

TEST(kernel_text, of_an_all_gather_by_poll_is_the_golden_one) {
  const Function kernel = all_gather_by_poll();
  expect_golden("all_gather_by_poll.ttir", triton_text(kernel));
  expect_golden("all_gather_by_poll.generic.ttir", mlir_generic_text(kernel));
}

}  // namespace
}  // namespace tutti::kernels
