// SPDX-License-Identifier: Apache-2.0
// Measures how fast the checker interprets collective kernels. Items are ops, on tiles of 8 elements. A
// schedule has three calls by two or three ranks, each with two blocks of two tiles.
#include <benchmark/benchmark.h>

#include "tutti/base/inside.hpp"
#include "tutti/kernels/check/check.hpp"
#include "tutti/kernels/emit/emit.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

EmittedKernels emitted(CollectiveKind kind, Variant variant, Encoding encoding, int world) {
  CollectiveSpec spec{.kind = kind, .dtype = DType::f32, .shape = {32}, .world = world, .variant = variant};
  spec.groups.emplace_back();
  for (int rank = 0; rank < world; ++rank) {
    spec.groups[0].push_back(rank);
    if (kind == CollectiveKind::ppermute) spec.pairs.emplace_back(rank, (rank + 1) % world);
  }
  if (is_reduction(kind)) spec.reduction = ReduceKind::sum;
  const Launch launch{.elements = visited_elements(spec, view_of(spec)), .tile_elements = 8, .grid = 2};
  const Manifest manifest = manifest_of(spec, Target::nvidia, encoding, launch);
  return {manifest, emit(manifest)};
}

void checker(benchmark::State& state, CollectiveKind kind, Variant variant, Encoding encoding) {
  const EmittedKernels kernels = emitted(kind, variant, encoding, static_cast<int>(state.range(0)));
  std::int64_t ops = 0, schedules = 0;
  for (auto _ : state) {
    const CheckReport report =
        check(kernels, {.schedules = 100, .seed = static_cast<std::uint64_t>(schedules)});
    if (!report) return state.SkipWithError(to_string(report).c_str());
    ops += report.ops;
    schedules += report.schedules;
  }
  state.SetItemsProcessed(ops);
  state.counters["ops_of_a_schedule"] = static_cast<double>(ops) / static_cast<double>(schedules);
}

const int every = [] {
  for (CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_reduce})
    for (Variant variant : variants_of(kind))
      for (Encoding encoding : all_encodings()) {
        if (variant == Variant::packets && encoding != Encoding::poll) continue;  // it has no barrier
        const std::string row = "checker/" + std::string(name(kind)) + "/" + std::string(name(variant)) +
                                "/" + std::string(name(encoding));
        benchmark::RegisterBenchmark(row.c_str(), checker, kind, variant, encoding)
            ->ArgName("world")
            ->Arg(2)
            ->Arg(3)
            ->Unit(benchmark::kMillisecond);
      }
  return 0;
}();

}  // namespace
}  // namespace tutti::kernels
