// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/kernel/kernel_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/check/expected.hpp"
#include "tutti/kernels/gpu/collective.hpp"
#include "tutti/kernels/gpu/rank_arrays.hpp"

namespace tutti::cli {
namespace {

using namespace kernels;

constexpr std::int64_t most_compared = 1 << 18;  // elements of a rank's result; takes some seconds in all
constexpr std::int64_t run_of_elements = 1 << 12;
constexpr double seconds_of_timing = 0.2;
constexpr int calls_compared = 3;

/// A collective with its arrays.
struct Running {
  CollectiveSpec spec;
  RankArrays inputs, outputs;
  Collective collective;

  void launch() { collective.launch(inputs.addresses(), outputs.addresses()); }
};

Tensors inputs_of(const CallData& data, const CollectiveSpec& spec) {
  Tensors inputs;
  for (int rank = 0; rank < spec.world; ++rank) {
    Tensor& input = inputs.emplace_back(spec.dtype, data.input_shape());
    data.fill_input(rank, 0, {input.mutable_bytes(), input.bytes()});
  }
  return inputs;
}

/// Compares the elements from `begin` to `end`. Returns the first difference, "rank 1, element 7 of [8]".
std::string difference_in(const Tensor& found, const CallData& data, int rank, std::int64_t begin,
                          std::int64_t end) {
  const auto size = static_cast<std::int64_t>(bytes_per_element(found.dtype()));
  std::vector<std::byte> expected(static_cast<std::size_t>((end - begin) * size));
  data.fill_output(rank, static_cast<std::uint64_t>(begin * size), expected);
  for (std::int64_t i = begin; i < end; ++i)
    if (std::memcmp(found.data() + i * size, expected.data() + (i - begin) * size,
                    static_cast<std::size_t>(size)) != 0)
      return fmt::format("rank {}, element {} of [{}]", rank, i, to_string(found.shape()));
  return "";
}

/// Compares a result. For a large result it compares evenly spaced runs of elements, the first and the last
/// run included.
std::string difference(const Tensor& found, const CallData& data, int rank) {
  const std::int64_t elements = found.elements();
  if (elements <= most_compared) return difference_in(found, data, rank, 0, elements);
  constexpr std::int64_t runs = most_compared / run_of_elements;
  for (std::int64_t run = 0; run < runs; ++run) {
    const std::int64_t begin = (elements - run_of_elements) / (runs - 1) * run;
    const bool is_last = run == runs - 1;
    std::string text = difference_in(found, data, rank, is_last ? elements - run_of_elements : begin,
                                     is_last ? elements : begin + run_of_elements);
    if (!text.empty()) return text;
  }
  return "";
}

/// Runs several calls with different elements. Returns the first difference, or "".
std::string run_and_compare(Running& running) {
  for (int call = 0; call < calls_compared; ++call) {
    const CallData data(running.spec, call, Numbers::whole);
    running.inputs.upload(inputs_of(data, running.spec));
    running.launch();
    const Tensors results = running.outputs.download();
    for (int rank = 0; rank < running.spec.world; ++rank)
      if (std::string text = difference(results[static_cast<std::size_t>(rank)], data, rank); !text.empty())
        return fmt::format("{} in call {}", text, call);
  }
  return "";
}

double seconds_of(Running& running, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) running.launch();
  running.collective.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string time_text(Running& running) {
  const double first = std::max(seconds_of(running, 1), 1e-6);
  const int calls = static_cast<int>(std::clamp(seconds_of_timing / first, 3.0, 1000.0));
  const double each = seconds_of(running, calls) / calls;
  const auto bytes = static_cast<double>(running.collective.bytes_per_call());
  return fmt::format("{:.1f} us a call, {:.1f} GB/s read plus written, mean of {} calls one after the other",
                     each * 1e6, bytes / each / 1e9, calls);
}

std::string compared_text(const Running& running) {
  const std::int64_t elements = running.collective.result_shape().elements();
  return fmt::format("{} of each rank's {}, in {} calls", std::min(elements, most_compared),
                     counted(elements, "element"), calls_compared);
}

}  // namespace

int run_kernel(const KernelRequest& request, const KernelArguments& arguments) {
  require(
      request.target == Target::nvidia, Code::usage,
      "--run: there is no runtime for GPUs of {}; leave --target out, or emit the kernel with --emit ttir",
      name(request.target));
  const CollectiveSpec& spec = request.spec;
  const std::vector<int> devices = devices_for(spec.world, arguments.driver);
  const auto group = std::make_shared<Group>(devices, GroupOptions{.driver = arguments.driver});
  // A user who names a variant wants to see that variant run, even if ranks share a GPU.
  CollectiveOptions options{.encoding = request.encoding, .nccl = arguments.nccl};
  if (!arguments.variant.empty()) options.sharing = SharedDevice::concurrent;
  Collective collective = Collective::make(group, spec, options);
  const Shape operand = collective.operand_shape(), result = collective.result_shape();
  Running running{spec, {group, spec.dtype, operand}, {group, spec.dtype, result}, std::move(collective)};
  fmt::print("ran:       {}\n", running.collective.description());
  fmt::print("on:        {}, {}\n",
             counted(static_cast<std::int64_t>(group->ranks_by_device().size()), "GPU"),
             group->device(0)->name());
  const std::string wrong = run_and_compare(running);
  fmt::print("compared:  {}\n", compared_text(running));
  fmt::print("result:    {}\n", wrong.empty() ? "equal to the definition" : "WRONG: " + wrong);
  if (!wrong.empty()) return 1;
  fmt::print("time:      {}\n", time_text(running));
  return 0;
}

}  // namespace tutti::cli
