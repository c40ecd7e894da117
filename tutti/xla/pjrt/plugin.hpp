// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tutti/base/error.hpp"
#include "tutti/base/fork.hpp"
#include "tutti/xla/pjrt/abi_calls.hpp"
#include "tutti/xla/pjrt/failure.hpp"
#include "tutti/xla/pjrt/values.hpp"

namespace tutti::xla {

/// The lock to hold while this library changes the environment of the process.
std::mutex& environment_lock();

/// A struct as a plugin gets it, followed by zeros. A plugin that is newer than our declarations reads the
/// zeros as unset fields, and does not refuse the struct as too small.
template <class Struct>
struct PaddedStruct {
  explicit PaddedStruct(const Struct& given) : content(given) {
    if constexpr (requires { content.head; }) content.head.struct_size = sizeof *this;
    else content.struct_size = sizeof *this;
  }
  Struct content;
  std::array<std::byte, 64> beyond{};
};

/// A loaded PJRT plugin: a library with a table of C functions. It stays loaded until the process ends,
/// because it has threads of its own.
class Plugin {
 public:
  /// Opens the library, checks its version and table, and initialises it once per process.
  /// Sets TF_CPP_MIN_LOG_LEVEL if it is unset: no other thread may read or write the environment meanwhile.
  /// Throws R004 if the file is no plugin or is cut off, or its version does not fit.
  static std::shared_ptr<const Plugin> open(const std::string& path);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  /// Calls the function that takes these arguments. Throws an error of the plugin as fail_as does.
  template <class Arguments>
  void call(Arguments& arguments, std::string_view step, Code otherwise = Code::internal) const {
    if (const std::optional<Failure> failure = attempt(arguments)) fail_as(*failure, step, otherwise);
  }
  /// Calls it too, but returns the error: `unimplemented` if the plugin lacks the function. It may be one of
  /// an extension.
  template <class Arguments>
  std::optional<Failure> attempt(Arguments& arguments) const {
    PaddedStruct<Arguments> sent(arguments);
    std::optional<Failure> failure = invoke(Arguments::function, &sent);
    arguments = sent.content;
    return failure;
  }
  /// Calls a function that destroys a handle. Ignores errors.
  template <class Arguments>
  void destroy(Arguments arguments) const noexcept {
    PaddedStruct<Arguments> sent(arguments);
    destroy_by(Arguments::function, &sent);
  }
  /// True if the plugin's table has the function.
  bool has(const Function& function) const;
  bool has(const ExtensionFunction& function) const { return function_at(function) != nullptr; }

  /// Throws "xla: STEP: MESSAGE (plugin FILE, PJRT 0.115, StableHLO 1.20.0)". `step` names the work:
  /// "compile".
  /// Codes: R003 if memory is short, R004 if the plugin or device cannot do it, else `otherwise`.
  [[noreturn]] void fail_as(const Failure& failure, std::string_view step, Code otherwise) const;

  const std::string& path() const { return path_; }
  int minor_version() const { return table_->minor; }
  /// The newest StableHLO that the plugin reads, "1.20.0". Empty if it does not say.
  const std::string& stablehlo() const { return stablehlo_; }
  /// The oldest StableHLO that the plugin reads. Empty if it does not say.
  const std::string& oldest_stablehlo() const { return oldest_stablehlo_; }
  const Values& attributes() const { return attributes_; }
  /// "plugin FILE, PJRT 0.115, StableHLO 1.20.0"
  std::string description() const;

 private:
  Plugin(std::string path, const Table* table) : path_(std::move(path)), table_(table) {}
  void check_table() const;
  AnyFunction function_at(int index) const { return reinterpret_cast<const AnyFunction*>(table_ + 1)[index]; }
  /// Null if the plugin lacks the extension or the function.
  AnyFunction function_at(const ExtensionFunction& function) const;
  void read_attributes();
  std::optional<Failure> invoke(const Function& function, void* arguments) const;
  std::optional<Failure> invoke(const ExtensionFunction& function, void* arguments) const;
  std::optional<Failure> invoke(AnyFunction function, const char* name, void* arguments) const;
  void destroy_by(const Function& function, void* arguments) const noexcept;
  Failure take(ErrorHandle error) const;

  std::string path_;
  MadeHere is_here_;  // else its threads are missing, and most of its functions would wait for them
  const Table* table_;
  std::string stablehlo_, oldest_stablehlo_;
  Values attributes_;
};

}  // namespace tutti::xla
