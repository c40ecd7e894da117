// SPDX-License-Identifier: Apache-2.0
// A chain, and the fold of its rows, has the bits of its functions one after the other, on every instruction
// set.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>

#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"
#include "tests/tensor/lines.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti {
namespace {

using Fn = ChainStep::Fn;

template <class T>
struct Chain {
  std::vector<ChainStep> steps;
  std::vector<std::vector<T>> operands;  // per step

  std::vector<const std::byte*> pointers() const {
    std::vector<const std::byte*> in;
    for (std::size_t s = 0; s < steps.size(); ++s)
      in.push_back(reinterpret_cast<const std::byte*>(operands[s].data()));
    return in;
  }
};

/// `count` elements of each operand. Halves have no gates.
template <class T>
Chain<T> random_chain(std::size_t count, std::mt19937_64& random) {
  constexpr auto last = static_cast<std::uint64_t>(sizeof(T) == 2 ? Fn::square : Fn::limit_if_ge);
  Chain<T> chain;
  const std::size_t length = 2 + random() % 7;
  for (std::size_t s = 0; s < length; ++s) {
    const auto fn = s == 0 ? Fn::take : Fn(1 + random() % last);
    chain.steps.push_back({fn, random() % 3 == 0});
    chain.operands.push_back(edges_among_ordinary<T>(count, random));
  }
  return chain;
}

/// As above; parts of it put x aside and join it.
template <class T>
Chain<T> random_chain_with_aside(std::size_t count, std::mt19937_64& random) {
  using Aside = ChainStep::Aside;
  Chain<T> chain = random_chain<T>(count, random);
  bool is_aside = false;
  const auto join = [&] {
    const Fn fns[] = {Fn::add, Fn::sub, Fn::sub_from, Fn::div_into, Fn::mul, Fn::maximum};
    chain.steps.push_back({fns[random() % std::size(fns)], true, Aside::join});
    chain.operands.push_back(chain.operands[0]);
    is_aside = false;
  };
  const std::size_t length = 2 + random() % (most_chain_steps - 4);
  while (chain.steps.size() < length || !is_aside) {
    Chain<T> more = random_chain<T>(count, random);
    for (std::size_t s = 0; s < more.steps.size() && chain.steps.size() < most_chain_steps - 1; ++s) {
      if (s == 0) more.steps[0].aside = Aside::put;
      chain.steps.push_back(more.steps[s]);
      chain.operands.push_back(more.operands[s]);
    }
    is_aside = true;
    if (chain.steps.size() < length) join();
  }
  join();
  return chain;
}

std::byte* bytes(auto& values) { return reinterpret_cast<std::byte*>(values.data()); }

/// x after a step, by the kernels of its own.
template <class T>
void apply(std::vector<T>& x, const ChainStep& step, const std::vector<T>& operand) {
  const DType dtype = dtype_of<T>();
  const Stride reads = step.repeats ? Stride::scalar : Stride::dense;
  const auto n = std::ssize(x);
  const std::vector<T> before = x;
  const auto *left = reinterpret_cast<const std::byte*>(before.data()),
             *right = reinterpret_cast<const std::byte*>(operand.data());
  const auto binary = [&](BinaryFn fn) {
    const std::byte* const in[] = {left, right};
    binary_kernel(fn, dtype, Stride::dense, reads)(bytes(x), in, n);
  };
  const auto from = [&](BinaryFn fn) {
    const std::byte* const in[] = {right, left};
    binary_kernel(fn, dtype, reads, Stride::dense)(bytes(x), in, n);
  };
  const auto gate = [&](CompareDirection direction) {
    std::vector<std::byte> chosen(x.size());
    const std::byte* const in[] = {left, right};
    compare_kernel(direction, dtype, Stride::dense, reads)(chosen.data(), in, n);
    const std::byte* const then[] = {chosen.data(), right, left};
    select_kernel(dtype, Stride::dense, reads, Stride::dense)(bytes(x), then, n);
  };
  switch (step.fn) {
    case Fn::take:
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = operand[step.repeats ? 0 : i];
      return;
    case Fn::add: return binary(BinaryFn::add);
    case Fn::add_to: return from(BinaryFn::add);
    case Fn::sub: return binary(BinaryFn::sub);
    case Fn::sub_from: return from(BinaryFn::sub);
    case Fn::mul: return binary(BinaryFn::mul);
    case Fn::mul_into: return from(BinaryFn::mul);
    case Fn::div: return binary(BinaryFn::div);
    case Fn::div_into: return from(BinaryFn::div);
    case Fn::maximum: return binary(BinaryFn::maximum);
    case Fn::minimum: return binary(BinaryFn::minimum);
    case Fn::square: {
      const std::byte* const in[] = {left, left};
      return binary_kernel(BinaryFn::mul, dtype, Stride::dense, Stride::dense)(bytes(x), in, n);
    }
    case Fn::limit_if_lt: return gate(CompareDirection::lt);
    case Fn::limit_if_le: return gate(CompareDirection::le);
    case Fn::limit_if_gt: return gate(CompareDirection::gt);
    case Fn::limit_if_ge: return gate(CompareDirection::ge);
  }
}

template <class T>
std::vector<T> one_by_one(const Chain<T>& chain, std::size_t count) {
  std::vector<T> x(count), aside;
  for (std::size_t s = 0; s < chain.steps.size(); ++s) {
    const ChainStep& step = chain.steps[s];
    if (step.aside == ChainStep::Aside::put) aside = x;
    if (step.aside == ChainStep::Aside::join) apply(x, {step.fn}, aside);
    else apply(x, step, chain.operands[s]);
  }
  return x;
}

class chains_on : public testing::TestWithParam<std::int64_t> {};

template <class T>
void check_chain(const Chain<T>& chain, std::size_t count) {
  std::vector<T> found(count);
  const auto run = [&](std::byte* out, Store store) {
    chain_kernel(dtype_of<T>(), chain.steps)(out, chain.pointers().data(), chain.steps.data(),
                                             int(chain.steps.size()), std::ssize(found), store);
  };
  run(bytes(found), Store::plain);
  std::string steps;
  for (const ChainStep& step : chain.steps)
    steps += std::to_string(int(step.fn)) + (step.repeats ? " repeated" : "") +
             (step.aside == ChainStep::Aside::none  ? ", "
              : step.aside == ChainStep::Aside::put ? " aside, "
                                                    : " joins, ");
  EXPECT_TRUE(have_same_bits<T>(found, one_by_one(chain, count))) << steps << count << " elements";
  Lines<T> streamed(count + 1);
  for (std::size_t from_line : {0, 1}) {
    T* to = streamed.data() + from_line;
    run(reinterpret_cast<std::byte*>(to), Store::streaming);
    finish_streaming();
    EXPECT_TRUE(have_same_bits<T>(std::span(to, count), found)) << steps << "streamed from " << from_line;
  }
}

template <class T>
void check_chains() {
  std::mt19937_64 random(1);
  for (std::size_t count : {1, 7, 16, 31, 64, 65, 127, 128, 200, 333})
    for (int repeat = 0; repeat < 30; ++repeat) check_chain(random_chain<T>(count, random), count);
}

/// Checks chains of two functions, which have loops of their own.
template <class T>
void check_pairs() {
  std::mt19937_64 random(4);
  // One full iteration of vectors, some more vectors, and a part of one.
  constexpr std::size_t count = 331;
  for (auto first = Fn::add; first <= Fn::square; first = Fn(int(first) + 1))
    for (auto second = Fn::add; second <= Fn::square; second = Fn(int(second) + 1))
      for (unsigned repeats = 0; repeats < 8; ++repeats) {
        Chain<T> chain;
        for (unsigned s = 0; s < 3; ++s) {
          chain.steps.push_back({s == 0 ? Fn::take : s == 1 ? first : second, (repeats >> s) % 2 == 1});
          chain.operands.push_back(edges_among_ordinary<T>(count, random));
        }
        check_chain(chain, count);
      }
}

TEST_P(chains_on, have_the_bits_of_one_function_after_the_other) {
  const UseInstructionSet use(GetParam());
  check_chains<float>();
  check_chains<double>();
  check_chains<f16>();
  check_chains<bf16>();
  check_pairs<float>();
  check_pairs<double>();
  check_pairs<bf16>();
}

template <class T>
void check_chains_with_aside() {
  std::mt19937_64 random(7);
  for (std::size_t count : {1, 7, 16, 31, 64, 65, 127, 128, 200, 333})
    for (int repeat = 0; repeat < 30; ++repeat) check_chain(random_chain_with_aside<T>(count, random), count);
}

TEST_P(chains_on, put_a_value_aside_and_join_it) {
  const UseInstructionSet use(GetParam());
  check_chains_with_aside<float>();
  check_chains_with_aside<double>();
}

template <class T>
void check_over_operands(Chain<T> chain, std::size_t count) {
  for (ChainStep& step : chain.steps) step.repeats = step.aside == ChainStep::Aside::join;
  const std::vector<T> expected = one_by_one(chain, count);
  for (Store store : {Store::plain, Store::streaming})
    for (std::size_t over = 0; over < chain.steps.size(); ++over) {
      Lines<T> lines(count);
      T* own = lines.data();
      std::ranges::copy(chain.operands[over], own);
      auto operands = chain.pointers();
      operands[over] = reinterpret_cast<const std::byte*>(own);
      chain_kernel(dtype_of<T>(), chain.steps)(reinterpret_cast<std::byte*>(own), operands.data(),
                                               chain.steps.data(), int(chain.steps.size()),
                                               static_cast<std::int64_t>(count), store);
      finish_streaming();
      EXPECT_TRUE(have_same_bits<T>(std::span(own, count), expected)) << over;
    }
}

TEST_P(chains_on, may_write_over_an_operand) {
  const UseInstructionSet use(GetParam());
  std::mt19937_64 random(2);
  constexpr std::size_t count = 611;
  for (int repeat = 0; repeat < 10; ++repeat) {
    check_over_operands(random_chain<float>(count, random), count);
    check_over_operands(random_chain<double>(count, random), count);
    check_over_operands(random_chain<f16>(count, random), count);
    check_over_operands(random_chain_with_aside<float>(count, random), count);
  }
  for (Fn first : {Fn::add, Fn::sub, Fn::mul})
    for (auto second = Fn::add; second <= Fn::mul_into; second = Fn(int(second) + 1)) {
      Chain<float> pair = random_chain<float>(count, random);
      pair.steps.resize(3);
      pair.operands.resize(3, pair.operands[0]);
      pair.steps[1].fn = first;
      pair.steps[2].fn = second;
      check_over_operands(pair, count);
    }
}

/// Rows of operands follow each other; what repeats has an element per row, or one for all.
template <class T>
void check_rows(ReduceKind kind) {
  std::mt19937_64 random(3);
  constexpr std::size_t rows = 3;
  for (std::size_t columns : {1, 15, 16, 17, 63, 64, 65, 511, 512, 513, 2000}) {
    const Chain<T> chain = random_chain<T>(rows * columns, random);
    std::vector<const std::byte*> in = chain.pointers();
    std::vector<std::int64_t> row_bytes;
    for (const ChainStep& step : chain.steps)
      row_bytes.push_back(step.repeats ? static_cast<std::int64_t>(random() % 2 * sizeof(T))
                                       : static_cast<std::int64_t>(columns * sizeof(T)));
    std::vector<T> found(rows);
    reduce_chain_rows_kernel(kind, dtype_of<T>())(bytes(found), in.data(), row_bytes.data(),
                                                  chain.steps.data(), int(chain.steps.size()), rows,
                                                  static_cast<std::int64_t>(columns));
    for (std::size_t row = 0; row < rows; ++row) {
      Chain<T> of_row = chain;
      for (std::size_t s = 0; s < chain.steps.size(); ++s)
        of_row.operands[s].erase(of_row.operands[s].begin(),
                                 of_row.operands[s].begin() + static_cast<std::ptrdiff_t>(row) *
                                                                  row_bytes[s] / std::ptrdiff_t{sizeof(T)});
      const std::vector<T> made = one_by_one(of_row, columns);
      std::vector<T> expected(1);
      reduce_rows_kernel(kind, dtype_of<T>())(bytes(expected),
                                              reinterpret_cast<const std::byte*>(made.data()), 1,
                                              static_cast<std::int64_t>(columns), 0);
      EXPECT_TRUE(have_same_bits<T>(std::span(&found[row], 1), expected))
          << name(kind) << " of " << columns << ", row " << row;
    }
  }
}

TEST_P(chains_on, fold_rows_in_the_tree_of_rows) {
  const UseInstructionSet use(GetParam());
  for (ReduceKind kind : {ReduceKind::sum, ReduceKind::max, ReduceKind::min}) {
    check_rows<float>(kind);
    check_rows<double>(kind);
  }
}

/// Rows of operands follow each other; what repeats has an element per row, or one for all. Between the
/// results' rows lies an element that stays.
template <class T>
void check_by_rows(Store store) {
  std::mt19937_64 random(5);
  constexpr std::int64_t rows = 11, element = sizeof(T);
  for (std::int64_t columns : {1, 16, 31, 32, 48, 64, 65, 96, 128, 192, 256, 300}) {
    const Chain<T> chain = random_chain<T>(static_cast<std::size_t>(rows * columns), random);
    std::vector<std::int64_t> row_bytes;
    for (const ChainStep& step : chain.steps)
      row_bytes.push_back(step.repeats ? static_cast<std::int64_t>(random() % 2) * element
                                       : columns * element);
    Lines<T> lines(static_cast<std::size_t>(rows * (columns + 1)));
    const std::span<T> found(lines.data(), static_cast<std::size_t>(rows * (columns + 1)));
    std::ranges::fill(found, T(7));
    chain_by_rows_kernel(dtype_of<T>())(bytes(found), (columns + 1) * element, chain.pointers().data(),
                                        row_bytes.data(), chain.steps.data(), int(chain.steps.size()), rows,
                                        columns, store);
    finish_streaming();
    std::vector<T> expected;
    for (std::int64_t row = 0; row < rows; ++row) {
      Chain<T> of_row = chain;
      for (std::size_t s = 0; s < chain.steps.size(); ++s)
        of_row.operands[s].erase(of_row.operands[s].begin(),
                                 of_row.operands[s].begin() + row * row_bytes[s] / element);
      const std::vector<T> made = one_by_one(of_row, static_cast<std::size_t>(columns));
      expected.insert(expected.end(), made.begin(), made.end());
      expected.push_back(T(7));
    }
    EXPECT_TRUE(have_same_bits<T>(found, expected)) << chain.steps.size() << " steps of " << columns;
  }
}

TEST_P(chains_on, have_the_same_bits_by_rows) {
  const UseInstructionSet use(GetParam());
  for (Store store : {Store::plain, Store::streaming}) {
    check_by_rows<float>(store);
    check_by_rows<double>(store);
  }
}

TEST(chain_kernel, is_null_where_there_is_none) {
  EXPECT_EQ(chain_by_rows_kernel(DType::bf16), nullptr);
  EXPECT_EQ(chain_kernel(DType::i32), nullptr);
  EXPECT_EQ(chain_kernel(DType::complex64), nullptr);
  EXPECT_EQ(reduce_chain_rows_kernel(ReduceKind::logical_or, DType::f32), nullptr);
  EXPECT_EQ(reduce_chain_rows_kernel(ReduceKind::sum, DType::i64), nullptr);
  EXPECT_EQ(chain_fn(BinaryFn::pow, false), std::nullopt);
  EXPECT_EQ(chain_fn(CompareDirection::eq), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(instruction_sets, chains_on, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

}  // namespace
}  // namespace tutti
