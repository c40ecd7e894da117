// SPDX-License-Identifier: Apache-2.0
// Compares fused regions on 8 devices with loops fused by hand, which two workers run over the same shards.
// Rows x columns are those of one device.
#include "tutti/devices/team.hpp"
#include "tutti/tutti.hpp"

#ifndef TUTTI_BENCH_FUSION_ROW  // this file is compiled once per instruction set
#define TUTTI_BENCH_FUSION_ROW
namespace tutti {
struct Row {
  const float* in;
  const float* scale;
  const float* bias;
  float* out;
  std::size_t columns;  // a multiple of the lanes
};
}  // namespace tutti
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fusion.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

template <class F>
HWY_INLINE void each(const Row& row, const F& f) {
  for (std::size_t i = 0; i < row.columns; i += hn::Lanes(D())) f(i);
}

void softmax_row(const Row& row) {
  const D d;
  auto largest = hn::Set(d, -1e30F), sum = hn::Zero(d);
  each(row, [&](std::size_t i) { largest = hn::Max(largest, hn::LoadU(d, row.in + i)); });
  largest = hn::MaxOfLanes(d, largest);
  each(row, [&](std::size_t i) {
    const auto e = hn::Exp(d, hn::Sub(hn::LoadU(d, row.in + i), largest));
    sum = hn::Add(sum, e);
    hn::StoreU(e, d, row.out + i);
  });
  sum = hn::Div(hn::Set(d, 1), hn::SumOfLanes(d, sum));
  each(row, [&](std::size_t i) { hn::StoreU(hn::Mul(hn::LoadU(d, row.out + i), sum), d, row.out + i); });
}

void layer_norm_row(const Row& row) {
  const D d;
  const auto n = hn::Set(d, 1 / static_cast<float>(row.columns));
  auto sum = hn::Zero(d), squares = hn::Zero(d);
  each(row, [&](std::size_t i) { sum = hn::Add(sum, hn::LoadU(d, row.in + i)); });
  const auto mean = hn::Mul(hn::SumOfLanes(d, sum), n);
  each(row, [&](std::size_t i) {
    const auto x = hn::Sub(hn::LoadU(d, row.in + i), mean);
    squares = hn::MulAdd(x, x, squares);
  });
  const auto variance = hn::Mul(hn::SumOfLanes(d, squares), n);
  const auto scale = hn::Div(hn::Set(d, 1), hn::Sqrt(hn::Add(variance, hn::Set(d, 1e-5F))));
  each(row, [&](std::size_t i) {
    const auto x = hn::Mul(hn::Sub(hn::LoadU(d, row.in + i), mean), scale);
    hn::StoreU(hn::MulAdd(x, hn::LoadU(d, row.scale + i), hn::LoadU(d, row.bias + i)), d, row.out + i);
  });
}

void bias_relu_row(const Row& row) {
  const D d;
  each(row, [&](std::size_t i) {
    const auto x = hn::Add(hn::LoadU(d, row.in + i), hn::LoadU(d, row.bias + i));
    hn::StoreU(hn::Mul(hn::Max(x, hn::Zero(d)), hn::LoadU(d, row.scale + i)), d, row.out + i);
  });
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <benchmark/benchmark.h>

namespace tutti {
namespace {

HWY_EXPORT(softmax_row);
HWY_EXPORT(layer_norm_row);
HWY_EXPORT(bias_relu_row);

constexpr std::int64_t devices = 8;

struct Work {
  const char* name;
  Array (*ours)(const Array& x, const Array& scale, const Array& bias);
  void (*by_hand)(const Row&);
};

const Work softmax_work{"softmax", [](const Array& x, const Array&, const Array&) { return softmax(x); },
                        [](const Row& row) { HWY_DYNAMIC_DISPATCH(softmax_row)(row); }};
const Work layer_norm_work{"layer_norm",
                           [](const Array& x, const Array& scale, const Array& bias) {
                             Array centred = x - expand_dims(mean(x, 1), 1);
                             Array spread = expand_dims(mean(square(centred), 1), 1);
                             return centred * rsqrt(spread + 1e-5) * scale + bias;
                           },
                           [](const Row& row) { HWY_DYNAMIC_DISPATCH(layer_norm_row)(row); }};
const Work bias_relu_work{"bias_relu_scale",
                          [](const Array& x, const Array& scale, const Array& bias) {
                            return relu(x + bias) * scale;
                          },
                          [](const Row& row) { HWY_DYNAMIC_DISPATCH(bias_relu_row)(row); }};

Tensor values(const Shape& shape) {
  Tensor x(shape, DType::f32);
  for (std::int64_t i = 0; i < x.elements(); ++i)
    x.mutable_data<float>()[i] = static_cast<float>(i * 7919 % 2001) / 1000 - 1;
  return x;
}

void ours(benchmark::State& state, const Work& work) {
  const Mesh mesh({{"x", devices}});
  Machine machine = open_local(mesh, {.workers = 2});
  Array x = values({devices * state.range(0), state.range(1)}), row = values({state.range(1)});
  auto placed = machine.compile(shard_map([](const Array& a) { return a + 0; },
                                          {.mesh = mesh, .in = P("x"), .out = P("x")}),
                                x);
  auto run = machine.compile(shard_map(work.ours, {.mesh = mesh, .in = {P("x"), P(), P()}, .out = P("x")}), x,
                             row, row);
  Array sharded = placed(x);
  for (int warm_up = 0; warm_up < 3; ++warm_up) benchmark::DoNotOptimize(run(sharded, row, row));
  for (auto _ : state) benchmark::DoNotOptimize(run(sharded, row, row));
}

void by_hand(benchmark::State& state, const Work& work) {
  Team team(2, Team::Use::always);
  const std::int64_t rows = devices * state.range(0), columns = state.range(1);
  Tensor in = values({rows, columns}), out = values({rows, columns}), row = values({columns});
  auto piece = [&](int worker) {
    for (std::int64_t r = rows / 2 * worker; r < rows / 2 * (worker + 1); ++r)
      work.by_hand({in.as<float>().data() + r * columns, row.as<float>().data(), row.as<float>().data(),
                    out.mutable_data<float>() + r * columns, static_cast<std::size_t>(columns)});
  };
  for (auto _ : state)
    team.run([](void* context, int worker) { (*static_cast<decltype(piece)*>(context))(worker); }, &piece);
}

const bool registered = [] {
  for (const Work* work : {&softmax_work, &layer_norm_work, &bias_relu_work})
    for (auto [kind, run] : {std::pair{"tutti", &ours}, std::pair{"by_hand", &by_hand}})
      benchmark::RegisterBenchmark((std::string("fused_") + work->name + "/" + kind).c_str(),
                                   [run = run, work](benchmark::State& state) { run(state, *work); })
          ->Args({64, 64})
          ->Args({256, 512})
          ->Args({2048, 1024})
          ->UseRealTime();
  return true;
}();

}  // namespace
}  // namespace tutti
#endif
