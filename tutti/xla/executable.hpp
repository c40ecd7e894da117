// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tutti/xla/buffers.hpp"
#include "tutti/xla/options.hpp"

namespace tutti::xla {

/// A module to compile: @main is what one device does, with one parameter and result per array.
struct Source {
  std::string text;                     // StableHLO
  Types parameters = {}, results = {};  // of @main, without states
  std::vector<Override> overrides = {};
};

/// May a call overwrite the argument? Only a parameter with tf.aliasing_output or jax.buffer_donor is ever overwritten.
enum class Use { keep, give_away };
struct Argument {
  Buffers* buffers = nullptr;
  Use use = Use::keep;
};

/// Bytes that a call needs on each device, as XLA counts them.
struct CompiledMemory {
  std::int64_t arguments = 0, results = 0;
  std::int64_t aliased = 0;  // of the results, in the memory of arguments
  std::int64_t temporary = 0, peak = 0, code = 0;
};

/// A program that XLA has compiled for some devices, loaded on those that this process drives.
class Executable {
 public:
  /// Throws I001 if XLA does not read the text, or its results are not those of `source`; R004 if it cannot compile it.
  static Executable compile(const std::shared_ptr<const Client>& client,
                            std::shared_ptr<const DeviceList> devices, const Source& source);
  /// Loads the bytes of serialised(), from a plugin of the same version and for as many devices. Ignores the text.
  static Executable load(const std::shared_ptr<const Client>& client,
                         std::shared_ptr<const DeviceList> devices, const Source& source,
                         const std::string& serialised);
  /// None if the plugin cannot.
  std::optional<std::string> serialised() const;

  /// Runs the program on all devices. Returns when all are done on platform cpu, else at once: then errors come when the
  /// results are looked at. Arguments lie on the executable's devices and have the types of the parameters, else I001:
  /// XLA compares only sizes in bytes. After an error of the plugin, arguments that were given away stay so.
  std::vector<Buffers> run(std::span<const Argument> arguments) const;

  const Types& parameters() const { return parameters_; }
  const Types& results() const { return results_; }
  std::optional<CompiledMemory> memory() const;
  /// "flops", "bytes accessed". None if the plugin does not estimate.
  std::optional<Values> cost() const;

 private:
  /// Destroys both handles, before the client.
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
              std::span<Buffers> results) const;
  const Client& client() const { return *handles_->client; }

  std::unique_ptr<Handles> handles_;
  std::shared_ptr<const DeviceList> devices_;
  Types parameters_, results_;
  std::vector<std::size_t> places_;  // of the executable's devices, in its own order, in DeviceList::local
};

}  // namespace tutti::xla
