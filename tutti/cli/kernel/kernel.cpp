// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/cli/kernel/kernel_check.hpp"
#include "tutti/cli/kernel/kernel_picture.hpp"
#include "tutti/cli/kernel/kernel_plan.hpp"
#include "tutti/cli/kernel/kernel_request.hpp"
#include "tutti/cli/kernel/kernel_run.hpp"
#include "tutti/kernels/emit/emit.hpp"
#include "tutti/kernels/ir/text.hpp"
#include "tutti/kernels/ptx/ptx_text.hpp"

namespace tutti::cli {
namespace {

using namespace kernels;

// Prints one module per kernel, separated as mlir-opt --split-input-file expects.
std::string modules(const Manifest& manifest, std::string (*text_of_kernel)(const Function&)) {
  std::string text;
  for (const Function& kernel : emit(manifest))
    text += (text.empty() ? "" : "// -----\n") + text_of_kernel(kernel);
  return text;
}

std::string emitted(const KernelArguments& arguments, const Manifest& manifest) {
  const std::string& what = arguments.emit;
  if (what == "ttir") return modules(manifest, triton_text);
  if (what == "mlir") return modules(manifest, mlir_generic_text);
  if (what == "ptx") return ptx_text(manifest, arguments.sm >= 90 ? PtxTarget::sm_90 : PtxTarget::sm_80);
  if (what == "manifest") return text_of(manifest);
  if (what == "plan") return plan_text(manifest);
  fail(Code::usage, "--emit: there is no '{}'; use ttir, mlir, ptx, manifest or plan", what);
}

}  // namespace

int kernel(const KernelArguments& arguments) {
  require(arguments.sm == 80 || arguments.sm == 90, Code::usage,
          "--sm: there is no PTX for {}; use 80, which later GPUs run too, or 90", arguments.sm);
  const KernelRequest request = request_of(arguments);
  if (arguments.why) fmt::print("{}", why_text(request));
  const bool asks = arguments.check || arguments.run || !arguments.svg.empty();
  if (arguments.why && !asks && arguments.emit.empty()) return 0;
  const bool only_runs = arguments.run && !arguments.check && arguments.svg.empty() && arguments.emit.empty();
  if (only_runs) return run_kernel(request, arguments);  // also runs specs without a kernel
  const Manifest manifest = manifest_of(request.spec, request.target, request.encoding);
  KernelArguments wanted = arguments;
  if (wanted.emit.empty() && !asks) wanted.emit = "ttir";
  if (!wanted.emit.empty()) fmt::print("{}", emitted(wanted, manifest));
  if (!arguments.svg.empty()) write_kernel_picture(arguments.svg, manifest);
  const int checked = arguments.check ? check_kernel(manifest) : 0;
  const int ran = arguments.run ? run_kernel(request, arguments) : 0;
  return std::max(checked, ran);
}

}  // namespace tutti::cli
