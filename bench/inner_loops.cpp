// SPDX-License-Identifier: Apache-2.0
// The inner loops in cache and out of it: elements, bytes moved per second. Sizes are elements of f32.
#include <benchmark/benchmark.h>

#include <vector>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/chains.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/products/product.hpp"

namespace tutti {
namespace {

std::vector<float> values(std::int64_t n) {
  std::vector<float> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 2654435761U % 2001) / 1000 - 1;
  return x;
}

std::byte* bytes(std::vector<float>& x) { return reinterpret_cast<std::byte*>(x.data()); }

void set_rates(benchmark::State& state, std::int64_t elements, std::int64_t elements_moved) {
  state.SetItemsProcessed(state.iterations() * elements);
  state.SetBytesProcessed(state.iterations() * elements_moved * 4);
}

void run_elementwise(benchmark::State& state, ElementwiseKernel kernel, int operands) {
  const std::int64_t n = state.range(0);
  std::vector<float> out(static_cast<std::size_t>(n)), a = values(n), b = values(n), c = values(n);
  const std::byte* const in[] = {bytes(a), bytes(b), bytes(c)};
  for (auto _ : state) {
    kernel(bytes(out), in, n);
    benchmark::ClobberMemory();
  }
  set_rates(state, n, n * (operands + 1));
}

void run_rows(benchmark::State& state, ReduceKind kind) {
  const std::int64_t columns = state.range(1), rows = state.range(0) / columns;
  std::vector<float> in = values(rows * columns), out(static_cast<std::size_t>(rows));
  const ReduceRowsKernel kernel = reduce_rows_kernel(kind, DType::f32);
  for (auto _ : state) {
    kernel(bytes(out), bytes(in), rows, columns, columns * 4);
    benchmark::ClobberMemory();
  }
  set_rates(state, rows * columns, rows * columns);
}

void run_columns(benchmark::State& state) {
  const std::int64_t columns = state.range(1), rows = state.range(0) / columns;
  std::vector<float> in = values(rows * columns), out(static_cast<std::size_t>(columns));
  std::vector<std::byte> scratch(reduce_columns_scratch_bytes(rows, columns, DType::f32));
  const ReduceColumnsKernel kernel = reduce_columns_kernel(ReduceKind::sum, DType::f32);
  for (auto _ : state) {
    kernel(bytes(out), bytes(in), rows, columns, columns * 4, scratch.data());
    benchmark::ClobberMemory();
  }
  set_rates(state, rows * columns, rows * columns);
}

/// in[0] * in[1] + in[2], which may repeat.
void run_chain(benchmark::State& state, Stride last) {
  const std::int64_t n = state.range(0);
  std::vector<float> out(static_cast<std::size_t>(n)), a = values(n), b = values(n), c = values(n);
  const std::byte* const in[] = {bytes(a), bytes(b), bytes(c)};
  const ChainStep steps[] = {{}, {ChainStep::Fn::mul}, {ChainStep::Fn::add, last == Stride::scalar}};
  const ChainKernel kernel = chain_kernel(DType::f32, steps);
  for (auto _ : state) {
    kernel(bytes(out), in, steps, 3, n, Store::plain);
    benchmark::ClobberMemory();
  }
  set_rates(state, n, (last == Stride::scalar ? 3 : 4) * n);
}

void run_fold(benchmark::State& state) {
  const std::int64_t n = state.range(0), positions = state.range(1);
  std::vector<std::vector<float>> in(static_cast<std::size_t>(positions), values(n));
  std::vector<float> out(static_cast<std::size_t>(n));
  std::vector<const std::byte*> pointers;
  for (std::vector<float>& position : in) pointers.push_back(bytes(position));
  const FoldKernel kernel = fold_kernel(ReduceKind::sum, DType::f32);
  for (auto _ : state) {
    kernel(bytes(out), pointers.data(), static_cast<int>(positions), n, Load::plain, Store::plain);
    benchmark::ClobberMemory();
  }
  set_rates(state, n * positions, n * (positions + 1));
}

void run_transposition(benchmark::State& state) {
  const std::int64_t side = state.range(0);
  std::vector<float> in = values(side * side), out(in.size());
  const CopyLoop loops[] = {{side, side * 4, 4}, {side, 4, side * 4}};
  for (auto _ : state) {
    strided_copy(bytes(out), bytes(in), loops, 4);
    benchmark::ClobberMemory();
  }
  set_rates(state, side * side, 2 * side * side);
}

void run_product(benchmark::State& state) {
  const std::int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  use_one_thread_for_products();
  const Product product(DType::f32, {1, m, n, k});
  std::vector<float> a = values(m * k), b = values(k * n), c(static_cast<std::size_t>(m * n));
  std::vector<std::byte> scratch(product.scratch_bytes());
  for (auto _ : state) {
    product.run(bytes(c), bytes(a), bytes(b), scratch.data());
    benchmark::ClobberMemory();
  }
  state.counters["flops"] =
      benchmark::Counter(static_cast<double>(2 * m * n * k), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["estimated_ns"] = product.nanoseconds();
}

constexpr std::int64_t tile = 256, in_l2 = 16 << 10, in_l3 = 256 << 10, in_memory = 16 << 20;

void elementwise_sizes(benchmark::internal::Benchmark* row) {
  for (std::int64_t n : {tile, in_l2, in_l3, in_memory}) row->Arg(n);
}

void shapes(benchmark::internal::Benchmark* row) {
  for (std::int64_t n : {in_l2, in_l3, in_memory})
    for (std::int64_t columns : {10, 64, 1024}) row->Args({n, columns});
}

BENCHMARK_CAPTURE(run_elementwise, add,
                  binary_kernel(BinaryFn::add, DType::f32, Stride::dense, Stride::dense), 2)
    ->Apply(elementwise_sizes);
BENCHMARK_CAPTURE(run_elementwise, maximum,
                  binary_kernel(BinaryFn::maximum, DType::f32, Stride::dense, Stride::dense), 2)
    ->Apply(elementwise_sizes);
BENCHMARK_CAPTURE(run_chain, mul_add, Stride::dense)->Apply(elementwise_sizes);
BENCHMARK_CAPTURE(run_chain, mul_add_scalar, Stride::scalar)->Apply(elementwise_sizes);
BENCHMARK_CAPTURE(run_elementwise, exp, unary_kernel(UnaryFn::exp, DType::f32), 1)->Apply(elementwise_sizes);
BENCHMARK_CAPTURE(run_elementwise, log, unary_kernel(UnaryFn::log, DType::f32), 1)->Apply(elementwise_sizes);
BENCHMARK_CAPTURE(run_elementwise, tanh, unary_kernel(UnaryFn::tanh, DType::f32), 1)
    ->Apply(elementwise_sizes);
BENCHMARK_CAPTURE(run_elementwise, logistic, unary_kernel(UnaryFn::logistic, DType::f32), 1)
    ->Apply(elementwise_sizes);
BENCHMARK_CAPTURE(run_rows, sum, ReduceKind::sum)->Apply(shapes);
BENCHMARK_CAPTURE(run_rows, max, ReduceKind::max)->Apply(shapes);
BENCHMARK(run_columns)->Apply(shapes);
BENCHMARK(run_fold)->ArgsProduct({{tile, in_l2, in_memory / 8}, {2, 3, 4, 8, 16}});
BENCHMARK(run_transposition)->Arg(64)->Arg(512)->Arg(2048);
BENCHMARK(run_product)
    ->Args({8, 64, 64})
    ->Args({64, 128, 10})
    ->Args({64, 64, 128})
    ->Args({256, 256, 256})
    ->Args({1024, 1024, 1});

}  // namespace
}  // namespace tutti
