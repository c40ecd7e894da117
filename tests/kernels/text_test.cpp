// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "tests/kernels/all_gather.hpp"
#include "tutti/kernels/ir/builder.hpp"

namespace tutti::kernels {
namespace {

/// A kernel of scalars and of tensors of 8 elements. The first op of a row in the table is %16.
struct Sample {
  Builder b{"sample"};
  Value f = b.argument("f", pointer_to(Scalar::f32), 16), p = b.argument("p", pointer_to(Scalar::i32)),
        n = b.argument("n", value_of(Scalar::i32)), q = b.argument("q", value_of(Scalar::i64)),
        c = b.argument("c", value_of(Scalar::i1)), x = b.argument("x", value_of(Scalar::f32)),
        h = b.argument("h", value_of(Scalar::f16));
  Value i8 = b.range(0, 8), ps = b.splat(p, {8}), fs = b.splat(f, {8}), xs = b.splat(x, {8}),
        cs = b.splat(c, {8}), qs = b.splat(q, {8}), ns = b.splat(n, {8}),
        m = b.constant(value_of(Scalar::i32), 7), unused = b.constant(value_of(Scalar::i1), 1);
};

struct Row {
  void (*write)(Sample&);
  std::string_view triton, generic;
};

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

const Row rows[] = {
#include "tests/kernels/text_rows.inc"
};

TEST(kernel_text, of_each_op_is_as_triton_prints_it_and_generic) {
  for (const Row& row : rows) {
    Sample sample;
    row.write(sample);
    const Function function = std::move(sample.b).finish();
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
