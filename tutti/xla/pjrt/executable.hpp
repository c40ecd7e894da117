// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tutti/xla/pjrt/buffers.hpp"
#include "tutti/xla/pjrt/call_backs.hpp"
#include "tutti/xla/pjrt/options.hpp"

namespace tutti::xla {

/// A module to compile. @main is the program of one device, with one parameter or result per array.
struct Source {
  std::string text;                     // StableHLO
  Types parameters = {}, results = {};  // of @main, without states
  std::vector<Override> overrides = {};
};

/// States whether a call may overwrite the argument. XLA overwrites only parameters with tf.aliasing_output
/// or jax.buffer_donor.
enum class Use { keep, give_away };
struct Argument {
  Buffers* buffers = nullptr;
  Use use = Use::keep;
};

/// Bytes that a call needs on each device, as XLA counts them.
struct CompiledMemory {
  std::int64_t arguments = 0, results = 0;
  std::int64_t aliased = 0;  // bytes of results that reuse the memory of arguments
  std::int64_t temporary = 0, peak = 0, code = 0;
};

/// A program that XLA has compiled, loaded on the devices of this process.
class Executable {
 public:
  /// Throws I001 if XLA cannot read the text, or the results differ from those of `source`. Throws R004 if
  /// XLA cannot compile the text, or refuses an override: the message names it.
  static Executable compile(const std::shared_ptr<const Client>& client,
                            std::shared_ptr<const DeviceList> devices, const Source& source);
  /// Loads the bytes of serialised(), which must come from a plugin of the same version. Ignores the text.
  /// Throws R004 for other bytes, and for a program for another number of devices.
  static Executable load(const std::shared_ptr<const Client>& client,
                         std::shared_ptr<const DeviceList> devices, const Source& source,
                         const std::string& serialised);
  /// A line with the number of devices, then the plugin's bytes. None if the plugin cannot serialise.
  std::optional<std::string> serialised() const;

  /// Runs the program on all devices. On platform cpu it returns when all devices are done. Elsewhere it
  /// returns at once, and errors are thrown where a result is read; without results it waits, because nothing
  /// else would report errors. After an error of the plugin, arguments stay given away.
  /// Throws I001 if an argument has another type than its parameter, or lies on other devices than the
  /// program: XLA compares only sizes in bytes.
  /// `handler`: of the program's calls back, if it has any. Only on platform cpu.
  std::vector<Buffers> run(std::span<const Argument> arguments, const CallHandler* handler = nullptr) const;

  const Types& parameters() const { return parameters_; }
  const Types& results() const { return results_; }
  std::optional<CompiledMemory> memory() const;
  /// XLA's estimates: "flops", "bytes accessed". None if the plugin has none.
  std::optional<Values> cost() const;

 private:
  /// Owns both handles, and destroys them before the client.
  struct Handles {
    explicit Handles(std::shared_ptr<const Client> owner) : client(std::move(owner)) {}
    ~Handles();
    Handles(const Handles&) = delete;
    Handles& operator=(const Handles&) = delete;
    std::shared_ptr<const Client> client;
    LoadedHandle loaded{};
    ExecutableHandle executable{};
  };

  Executable(std::unique_ptr<Handles> handles, std::shared_ptr<const DeviceList> devices,
             const Source& source);
  void order_devices();
  void check_results() const;
  void check(std::span<const Argument> arguments) const;
  std::vector<Buffers> unfilled_results() const;
  void launch(std::span<const Argument> arguments, std::span<const std::int64_t> kept,
              std::span<Buffers> results, const CallHandler* handler) const;
  const Client& client() const { return *handles_->client; }

  std::unique_ptr<Handles> handles_;
  std::shared_ptr<const DeviceList> devices_;
  Types parameters_, results_;
  std::vector<std::size_t> places_;  // per device in the executable's order: its index in DeviceList::local
};

}  // namespace tutti::xla
