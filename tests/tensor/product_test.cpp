// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/product.hpp"
#include "tutti/base/inside.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/tensor/element_values.hpp"
#include "tutti/base/error.hpp"

extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);

namespace tutti {
namespace {

constexpr ProductShape shapes[] = {{1, 1, 1, 1},     {1, 2, 3, 4},     {1, 8, 64, 64},   {1, 64, 10, 128},
                                   {1, 1, 100, 300}, {1, 100, 1, 300}, {1, 1, 1, 500},   {3, 5, 7, 11},
                                   {4, 1, 9, 20},    {4, 9, 1, 20},    {2, 33, 65, 129}, {1, 17, 16, 1},
                                   {1, 3, 1, 1},     {1, 0, 4, 5},     {1, 4, 0, 5},     {1, 4, 5, 0},
                                   {0, 4, 5, 6},     {2, 3, 4, 0},     {1, 40, 24, 900}, {5, 1, 1, 1}};

template <class T>
struct Operands {
  explicit Operands(const ProductShape& s)
      : a(spread_values<T>(std::size_t(s.batch * s.m * s.k), 1)),
        b(spread_values<T>(std::size_t(s.batch * s.k * s.n), 2)) {}

  T left(const ProductShape& s, std::int64_t batch, std::int64_t i, std::int64_t k) const {
    return a[std::size_t(batch * s.m * s.k + (s.a_transposed ? k * s.m + i : i * s.k + k))];
  }
  T right(const ProductShape& s, std::int64_t batch, std::int64_t k, std::int64_t j) const {
    return b[std::size_t(batch * s.k * s.n + (s.b_transposed ? j * s.k + k : k * s.n + j))];
  }

  std::vector<Stored<T>> a, b;
};

/// `run` and the room around it.
template <class T>
std::vector<Stored<T>> result_of(const Product& product, const ProductShape& s, const Operands<T>& operands) {
  std::vector<Stored<T>> c(std::size_t(s.batch * s.m * s.n),
                           Stored<T>{1});  // not zero: run must not add to it
  std::vector<std::byte> scratch(product.scratch_bytes());
  product.run(bytes(c), bytes(operands.a), bytes(operands.b), scratch.data());
  return c;
}

/// Empty, or the first element of `c` that is wrong: exactly for integers, within (k + 1) eps sum|a b| for
/// floats, the bound for any order of additions.
template <class T>
std::string wrong_element(const ProductShape& s, const Operands<T>& operands,
                          const std::vector<Stored<T>>& c) {
  std::size_t at = 0;
  for (std::int64_t batch = 0; batch < s.batch; ++batch)
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t j = 0; j < s.n; ++j, ++at) {
        long double sum = 0, magnitude = 0;
        std::uint64_t low_bits = 0;
        bool any = false;
        for (std::int64_t k = 0; k < s.k; ++k) {
          const T x = operands.left(s, batch, i, k), y = operands.right(s, batch, k, j);
          sum += static_cast<long double>(x) * y;
          magnitude += std::fabs(static_cast<long double>(x) * y);
          if constexpr (std::integral<T>)
            low_bits += static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y);
          any = any || (x != T{0} && y != T{0});
        }
        bool good = false;
        if constexpr (std::same_as<T, bool>) good = c[at] == any;
        else if constexpr (std::integral<T>) good = c[at] == static_cast<T>(low_bits);
        else
          good = std::fabs(c[at] - sum) <=
                 static_cast<long double>(s.k + 1) * std::numeric_limits<T>::epsilon() * magnitude;
        if (!good) return "element " + std::to_string(at) + " = " + std::to_string(c[at]);
      }
  return {};
}

class product_of : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(all, product_of, testing::ValuesIn(arithmetic_dtypes()),
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

TEST_P(product_of, every_shape_and_transposition_is_right) {
  use_one_thread_for_products();
  for (ProductShape shape : shapes)
    for (bool a_transposed : {false, true})
      for (bool b_transposed : {false, true})
        with_type(GetParam(), [&]<class T>(T) {
          shape.a_transposed = a_transposed;
          shape.b_transposed = b_transposed;
          const Product product(GetParam(), shape);
          const Operands<T> operands(shape);
          EXPECT_EQ(wrong_element(shape, operands, result_of<T>(product, shape, operands)), "")
              << shape.batch << " x " << shape.m << 'x' << shape.k << 'x' << shape.n
              << (a_transposed ? " aT" : "") << (b_transposed ? " bT" : "");
          EXPECT_GE(product.nanoseconds(), 0);
        });
}

// The last blocks have 12 rows, 1 row, 1 matrix.
TEST_P(product_of, blocks_computed_apart_are_those_of_the_whole) {
  for (ProductShape shape :
       {ProductShape{1, 140, 128, 256}, ProductShape{1, 129, 128, 256}, ProductShape{17, 64, 64, 64}})
    for (bool a_transposed : {false, true})
      with_type(GetParam(), [&]<class T>(T) {
        shape.a_transposed = a_transposed;
        shape.b_transposed = !a_transposed;
        const Product product(GetParam(), shape);
        const Operands<T> operands(shape);
        const auto want = result_of<T>(product, shape, operands);
        EXPECT_EQ(wrong_element(shape, operands, want), "");
        const auto [count, block] = product.lines();
        EXPECT_EQ(count, shape.batch == 1 ? shape.m : shape.batch);
        if (block == count) return;  // halves that are widened
        std::vector<Stored<T>> found(want.size(), Stored<T>{1});
        std::vector<std::byte> scratch(product.scratch_bytes());
        for (std::int64_t begin = (count - 1) / block * block; begin >= 0; begin -= block)
          product.run(bytes(found), bytes(operands.a), bytes(operands.b), scratch.data(), begin,
                      std::min(begin + block, count));
        EXPECT_EQ(found, want) << shape.batch << " x " << shape.m << (a_transposed ? " aT" : " bT");
      });
}

TEST(product, is_cut_into_blocks_by_its_shape) {
  const auto block = [](const ProductShape& shape) { return Product(DType::f32, shape).lines().block; };
  EXPECT_EQ(block({1, 2048, 2048, 2048}), 512);
  EXPECT_EQ(block({1, 512, 512, 512}), 128);
  EXPECT_EQ(block({1, 4096, 64, 64}), 1024);
  EXPECT_EQ(block({1, 100, 512, 512}), 100);
  EXPECT_EQ(block({1, 2048, 1, 2048}), 2048);
  EXPECT_EQ(block({64, 64, 64, 64}), 16);
  EXPECT_EQ(block({64, 512, 512, 512}), 1);
}

// Planted: one product of the sum left out, and one operand read as if it were not transposed.
TEST(wrong_element, catches_a_missing_term_and_a_wrong_transposition) {
  const ProductShape shape{1, 8, 64, 64}, transposed{1, 8, 64, 64, false, true};
  const Operands<float> operands(shape);
  std::vector<float> c = result_of<float>(Product(DType::f32, shape), shape, operands);
  EXPECT_NE(wrong_element(transposed, operands, c), "");
  c[70] -= operands.left(shape, 0, 1, 5) * operands.right(shape, 0, 5, 6);
  EXPECT_NE(wrong_element(shape, operands, c), "");
}

TEST_P(product_of, runs_at_the_same_time_give_the_same_bits) {
  for (const ProductShape& shape :
       {ProductShape{1, 64, 64, 128, false, true}, ProductShape{3, 40, 1, 900}, ProductShape{1, 8, 64, 700}})
    with_type(GetParam(), [&]<class T>(T) {
      const Product product(GetParam(), shape);
      const Operands<T> operands(shape);
      const auto want = result_of<T>(product, shape, operands);
      std::atomic<int> different{0};
      const auto work = [&] {
        use_one_thread_for_products();
        for (int i = 0; i < 200; ++i)
          if (result_of<T>(product, shape, operands) != want) ++different;
      };
      std::thread first(work), second(work), third(work);
      first.join();
      second.join();
      third.join();
      EXPECT_EQ(different, 0);
    });
}

TEST(product, gives_the_same_bits_on_a_thread_that_lets_openmp_use_two_and_leaves_that_setting) {
  const ProductShape shape{1, 100, 300, 500};
  const Operands<float> operands(shape);
  use_one_thread_for_products();
  const auto want = result_of<float>(Product(DType::f32, shape), shape, operands);
  std::thread([&] {
    omp_set_num_threads(2);
    EXPECT_EQ(result_of<float>(Product(DType::f32, shape), shape, operands), want);
    EXPECT_EQ(omp_get_max_threads(), 2);
  }).join();
}

TEST(product, refuses_f64_sizes_that_openblas_cannot_count) {
  try {
    const Product product(DType::f64, {1, 1, std::int64_t{1} << 31, 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::shape);
    EXPECT_EQ(error.message(),
              "a product of f64[1,1] and f64[1,2147483648]: OpenBLAS takes sizes up to 2147483647; split the "
              "larger dimension");
  }
}

}  // namespace
}  // namespace tutti
