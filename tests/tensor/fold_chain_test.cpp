// SPDX-License-Identifier: Apache-2.0
// A sum, functions of it and the chain that makes each result of it have the bits of one kernel after the
// other.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <vector>

#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"
#include "tests/tensor/lines.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/fold_chains.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti {
namespace {

using Fn = ChainStep::Fn;
using Operand = FoldStep::Operand;
constexpr std::size_t n = 2 * fold_chain_elements;

template <class T>
using Columns = std::vector<std::vector<T>>;

template <class T>
Columns<T> any_columns(std::size_t columns, std::size_t count, std::mt19937_64& random) {
  Columns<T> made;
  for (std::size_t k = 0; k < columns; ++k) made.push_back(edges_among_ordinary<T>(count, random));
  return made;
}

const std::byte* bytes(const auto& values) { return reinterpret_cast<const std::byte*>(values.data()); }

/// Where the operands of a chain over folds are: `each` has n elements per step and result, `ones` one per
/// step.
template <class T>
struct Example {
  std::size_t results;
  Columns<T> terms;
  std::vector<Fn> on_fold;
  std::vector<FoldStep> steps;
  Columns<T> on_fold_ones, ones;
  std::vector<Columns<T>> each;
};

template <class T>
Example<T> any_example(std::size_t results, std::size_t terms, std::mt19937_64& random) {
  const auto any_fn = [&] { return Fn(1 + random() % int(Fn::limit_if_ge)); };
  Example<T> made{results, any_columns<T>(terms, n, random), {}, {}, {}, {}, {}};
  made.on_fold.resize(random() % 4);
  std::ranges::generate(made.on_fold, any_fn);
  made.on_fold_ones = any_columns<T>(made.on_fold.size(), 1, random);
  made.steps.resize(2 + random() % 4);
  for (FoldStep& step : made.steps) step = {Operand(random() % 3), any_fn()};
  made.steps[0].fn = Fn::take;
  made.ones = any_columns<T>(made.steps.size(), 1, random);
  for (std::size_t s = 0; s < made.steps.size(); ++s) made.each.push_back(any_columns<T>(results, n, random));
  return made;
}

template <class T>
Columns<T> one_by_one(const Example<T>& example) {
  std::vector<T> fold(n);
  auto* fold_bytes = reinterpret_cast<std::byte*>(fold.data());
  std::vector<const std::byte*> terms;
  for (const std::vector<T>& term : example.terms) terms.push_back(bytes(term));
  fold_kernel(ReduceKind::sum, dtype_of<T>())(fold_bytes, terms.data(), int(terms.size()), n, Load::plain,
                                              Store::plain);
  for (std::size_t k = 0; k < example.on_fold.size(); ++k) {
    const ChainStep steps[] = {{}, {example.on_fold[k], true}};
    const std::byte* const in[] = {fold_bytes, bytes(example.on_fold_ones[k])};
    chain_kernel(dtype_of<T>(), steps)(fold_bytes, in, steps, 2, n, Store::plain);
  }
  Columns<T> made(example.results, std::vector<T>(n));
  for (std::size_t r = 0; r < example.results; ++r) {
    std::vector<ChainStep> steps;
    std::vector<const std::byte*> in;
    for (std::size_t s = 0; s < example.steps.size(); ++s) {
      const Operand of = example.steps[s].of;
      steps.push_back({example.steps[s].fn, of == Operand::one});
      in.push_back(of == Operand::fold  ? fold_bytes
                   : of == Operand::one ? bytes(example.ones[s])
                                        : bytes(example.each[s][r]));
    }
    chain_kernel(dtype_of<T>(), steps)(reinterpret_cast<std::byte*>(made[r].data()), in.data(), steps.data(),
                                       int(steps.size()), n, Store::plain);
  }
  return made;
}

enum class Out { apart, off_line, over_terms, over_each };

/// The same as one kernel, which writes where `out` says.
template <class T>
Columns<T> at_once(const Example<T>& example, Out out, Load load, Store store) {
  std::vector<Lines<T>> own(example.results, Lines<T>(n + 1));
  std::vector<std::byte*> results;
  for (Lines<T>& lines : own) results.push_back(lines.bytes() + (out == Out::off_line ? sizeof(T) : 0));
  const auto overwritten = [&](const std::vector<T>& operand, std::size_t r) {
    std::ranges::copy(operand, own[r].data());
    return const_cast<const std::byte*>(results[r]);
  };
  std::vector<const std::byte*> terms, in;
  for (std::size_t t = 0; t < example.terms.size(); ++t)
    terms.push_back(out == Out::over_terms && t < example.results ? overwritten(example.terms[t], t)
                                                                  : bytes(example.terms[t]));
  for (const std::vector<T>& one : example.on_fold_ones) in.push_back(bytes(one));
  bool is_over = out != Out::over_each;
  for (std::size_t s = 0; s < example.steps.size(); ++s) {
    if (example.steps[s].of == Operand::one) in.push_back(bytes(example.ones[s]));
    if (example.steps[s].of != Operand::each) continue;
    for (std::size_t r = 0; r < example.results; ++r)
      in.push_back(is_over ? bytes(example.each[s][r]) : overwritten(example.each[s][r], r));
    is_over = true;  // the first such operand
  }
  const auto results_count = static_cast<int>(example.results);
  fold_chain_kernel(dtype_of<T>(),
                    results_count)({example.on_fold.data(), int(example.on_fold.size()), example.steps.data(),
                                    int(example.steps.size()), results_count, int(terms.size())},
                                   results.data(), terms.data(), in.data(), n, load, store);
  finish_streaming();
  Columns<T> made;
  for (const std::byte* result : results) {
    const auto* first = reinterpret_cast<const T*>(result);
    made.emplace_back(first, first + n);
  }
  return made;
}

template <class T>
void check_fold_chains() {
  std::mt19937_64 random(5);
  for (std::size_t results : {1, 2, 4, 8})
    for (std::size_t terms : {2, 3, 4, 8, 21})
      for (int repeat = 0; repeat < 10; ++repeat) {
        const Example<T> example = any_example<T>(results, terms, random);
        const Columns<T> expected = one_by_one(example);
        for (Out out : {Out::apart, Out::off_line, Out::over_terms, Out::over_each})
          for (Store store : {Store::plain, Store::streaming}) {
            const Columns<T> found =
                at_once(example, out, store == Store::plain ? Load::plain : Load::ahead, store);
            for (std::size_t r = 0; r < results; ++r)
              EXPECT_TRUE(have_same_bits<T>(found[r], expected[r]))
                  << "result " << r << " of " << results << ", " << terms << " terms, " << int(out);
          }
      }
}

class fold_chains_on : public testing::TestWithParam<std::int64_t> {};

TEST_P(fold_chains_on, have_the_bits_of_a_fold_and_a_chain_for_each_result) {
  const UseInstructionSet use(GetParam());
  check_fold_chains<float>();
  check_fold_chains<double>();
}

INSTANTIATE_TEST_SUITE_P(instruction_sets, fold_chains_on, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

TEST(fold_chain_kernel, is_null_but_for_f32_and_f64_and_few_results) {
  EXPECT_EQ(fold_chain_kernel(DType::f32, 3), nullptr);
  EXPECT_EQ(fold_chain_kernel(DType::f64, 16), nullptr);
  EXPECT_EQ(fold_chain_kernel(DType::bf16, 8), nullptr);
  EXPECT_EQ(fold_chain_kernel(DType::i32, 8), nullptr);
}

}  // namespace
}  // namespace tutti
