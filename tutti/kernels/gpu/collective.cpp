// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/collective.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include "tutti/base/require.hpp"
#include "tutti/kernels/gpu/call_arrays.hpp"
#include "tutti/kernels/spec/eligible.hpp"
#include "tutti/kernels/spec/traffic.hpp"

namespace tutti::kernels {
namespace {

std::string described(const KernelChoice& choice) {
  return fmt::format("kernel {}, {} blocks of {} warps{}{}", choice.manifest.name,
                     choice.manifest.launch.grid, choice.manifest.launch.warps,
                     choice.note.empty() ? "" : ": ", choice.note);
}

/// A runner that needs no kernel. Its errors also say why there is no kernel.
std::unique_ptr<Runner> library_runner(Group& group, const CollectiveSpec& spec, const std::string& nccl,
                                       const std::string& why) {
  if (!is_reduction(spec.kind)) return copy_runner(group, spec);
  try {
    return nccl_runner(group, spec, nccl);
  } catch (const Error& error) {
    fail(error.code(), "{}: no kernel, because {}; nor NCCL: {}", to_string(spec), why, error.message());
  }
}

}  // namespace

Collective::Collective(std::shared_ptr<Group> group, const CollectiveSpec& spec)
    : group_(std::move(group)),
      spec_(spec),
      operand_(kernels::operand_shape(spec)),
      result_(kernels::result_shape(spec)) {}
Collective::Collective(Collective&&) noexcept = default;
Collective& Collective::operator=(Collective&& other) noexcept {
  std::swap(group_, other.group_);
  std::swap(spec_, other.spec_);
  std::swap(operand_, other.operand_);
  std::swap(result_, other.result_);
  std::swap(description_, other.description_);
  std::swap(manifest_, other.manifest_);
  std::swap(runner_, other.runner_);
  return *this;
}
Collective::~Collective() {
  if (group_) group_->settle();
}

Collective Collective::make(const std::shared_ptr<Group>& group, const CollectiveSpec& spec,
                            const CollectiveOptions& options) {
  require(spec.world == group->world(), Code::argument,
          "{}: a world of {} for a group of {}; name a device for each rank", spec, spec.world,
          group->world());
  if (const std::string wrong = what_is_wrong(spec); !wrong.empty())
    fail(Code::argument, "{}: {}", to_string(spec), wrong);
  group->require_whole();
  Collective made(group, spec);
  std::string why = options.backend == Backend::library ? "the library was asked for"
                                                        : why_no_kernel(*group, spec, options.encoding);
  if (why.empty()) {
    KernelChoice choice = choose_kernel(*group, spec, options.encoding, options.sharing, options.connections);
    made.spec_ = choice.manifest.spec;
    made.description_ = described(choice);
    made.manifest_ = choice.manifest;
    made.runner_ = kernel_runner(*group, std::move(choice));
    return made;
  }
  made.runner_ = library_runner(*group, spec, options.nccl, why);
  made.description_ = fmt::format("{}: no kernel, because {}",
                                  is_reduction(spec.kind) ? "NCCL" : "copies of the driver", why);
  if (options.backend == Backend::kernels && options.warn)
    options.warn(fmt::format("{}: runs as {}", to_string(spec), made.description_));
  return made;
}

std::int64_t Collective::bytes_per_call() const {
  if (manifest_) {
    std::int64_t bytes = link_bytes(spec_);
    for (int rank = 0; rank < spec_.world; ++rank) {
      const MemoryBytes own = memory_bytes(spec_, rank);
      bytes += own.read + own.written;
    }
    return bytes;
  }
  const std::int64_t result = result_bytes(spec_).elements();
  const std::int64_t read = is_reduction(spec_.kind) ? operand_bytes(spec_).elements() : result;
  return spec_.world * (read + result);
}

void Collective::launch(std::span<const DeviceAddress> inputs, std::span<const DeviceAddress> outputs) {
  group_->require_whole();
  require_addresses(spec_, manifest_ ? alignment_bytes : 1, inputs, outputs);
  if (spec_.shape.elements() == 0) return;
  runner_->launch(inputs, outputs);
}

}  // namespace tutti::kernels
