// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/ptx_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "tutti/base/require.hpp"
#include "tutti/kernels/emit/emit.hpp"
#include "tutti/kernels/ir/verify.hpp"
#include "tutti/kernels/ptx/control.hpp"
#include "tutti/kernels/ptx/shared.hpp"

namespace tutti::kernels {
namespace {

int parameter_bits(const ValueType& type) { return type.pointer ? 64 : std::max(bits(type.scalar), 8); }

std::string parameter(const Argument& argument) {
  if (!argument.type.pointer)
    return fmt::format("  .param .b{} p_{}", parameter_bits(argument.type), argument.name);
  const std::string align = argument.divisibility ? fmt::format(".align {} ", *argument.divisibility) : "";
  return fmt::format("  .param .u64 .ptr .global {}p_{}", align, argument.name);
}

void load_parameters(ThreadValues& v) {
  for (std::size_t i = 0; i < v.function.arguments.size(); ++i) {
    const Argument& argument = v.function.arguments[i];
    const Value value{static_cast<int>(i)};
    const bool is_truth = v.kind(value) == RegisterKind::predicate;
    const std::string load = fmt::format("ld.param.b{}", parameter_bits(argument.type));
    std::string x = v.out.made(is_truth ? RegisterKind::b32 : v.kind(value), load,
                               {fmt::format("[p_{}]", argument.name)});
    if (is_truth) x = v.out.made(RegisterKind::predicate, "setp.ne.s32", {x, "0"});
    v.define(value, 0, {x});
  }
}

}  // namespace

std::string ptx_header(PtxTarget target) {
  return fmt::format(".version 7.8\n.target {}\n.address_size 64\n",
                     target == PtxTarget::sm_90 ? "sm_90" : "sm_80");
}

std::string ptx_entry(const Function& kernel, const PtxOptions& options) {
  constexpr int threads_of_warp = threads_per_warp(Target::nvidia), most = most_threads / threads_of_warp;
  require(options.warps > 0 && options.warps <= most && std::has_single_bit(unsigned(options.warps)),
          Code::argument, "kernel {}: {} warps; take a power of two, at most {}", kernel.name, options.warps,
          most);
  verify(kernel);
  const int threads = options.warps * threads_of_warp;
  ThreadValues values(kernel, threads);
  load_parameters(values);
  write_region(values, kernel.body, options.target);
  std::string parameters;
  for (const Argument& argument : kernel.arguments)
    parameters += (parameters.empty() ? "\n" : ",\n") + parameter(argument);
  const std::string shared = values.needs_shared ? fmt::format("  .shared .align 8 .b8 {}[{}];\n",
                                                               shared_name, shared_bytes(threads))
                                                 : "";
  // One block per multiprocessor is enough. Without minnctapersm 1, ptxas spills registers to fit several.
  return fmt::format("\n.visible .entry {}({}\n)\n.reqntid {}, 1, 1\n.minnctapersm 1\n{{\n{}{}  ret;\n}}\n",
                     kernel.name, parameters, threads, shared, values.out.text());
}

std::string ptx_text(std::span<const Function> kernels, const PtxOptions& options) {
  std::string text = ptx_header(options.target);
  for (const Function& kernel : kernels) text += ptx_entry(kernel, options);
  return text;
}

std::string ptx_text(const Manifest& manifest, PtxTarget target) {
  require(manifest.target == Target::nvidia, Code::argument, "manifest {}: PTX is for nvidia, not for {}",
          manifest.name, name(manifest.target));
  return ptx_text(emit(manifest), {target, manifest.launch.warps});
}

}  // namespace tutti::kernels
