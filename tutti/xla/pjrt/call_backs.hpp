// SPDX-License-Identifier: Apache-2.0
// Calls from programs that XLA has compiled back into this process, through XLA's FFI.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "tutti/xla/pjrt/abi_ffi.hpp"
#include "tutti/xla/pjrt/plugin.hpp"

namespace tutti::xla {

/// The arrays of one custom call. Their memory is the plugin's: dense, row-major, valid during the call.
struct CallOperands {
  std::vector<const std::byte*> operands;
  std::vector<std::byte*> results;
};
/// Threads of the plugin call it, several at once. It must not throw.
using CallHandler = std::function<void(const CallOperands&)>;

/// Registers the custom call `target` for CPUs, once per plugin and target. False if the plugin has no FFI,
/// or refuses.
bool can_call_back(const Plugin& plugin, std::string_view target);

/// Ties the custom calls of one execution to a handler, which must outlive it.
class CallContext {
 public:
  /// Throws R004 if the plugin refuses.
  CallContext(const Plugin& plugin, const CallHandler& handler);
  ~CallContext();
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;
  ContextHandle handle() const { return handle_; }

 private:
  const Plugin& plugin_;
  ContextHandle handle_;
};

}  // namespace tutti::xla
