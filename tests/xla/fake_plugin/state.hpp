// SPDX-License-Identifier: Apache-2.0
// The fake plugin: handles, failures on demand, and the check that stands before every function.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "tests/xla/fake_plugin/control.hpp"
#include "tests/xla/fake_plugin/module_text.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/xla/pjrt/abi_calls.hpp"

namespace fake_pjrt {

using namespace tutti::xla;

struct Trouble {
  int code = 0;
  std::string message;
};
struct Block {
  explicit Block(std::size_t size) : bytes(size) {}
  std::vector<std::byte> bytes;
  std::optional<Trouble> late;  // error of the work that fills the block
};

}  // namespace fake_pjrt

namespace tutti::xla {

struct ErrorOfPlugin {
  fake_pjrt::Trouble trouble;
};
struct EventOfPlugin {
  std::function<void()> work;  // runs when the event is awaited or destroyed
  std::optional<fake_pjrt::Trouble> late;
};
struct DescriptionOfPlugin {
  fake_pjrt::MadeUpDevice made_up;
  std::vector<NamedValue> attributes;  // point into made_up
};
struct DeviceOfPlugin {
  DescriptionOfPlugin description;
  std::int64_t bytes_in_use = 0;
};
struct ClientOfPlugin {
  std::deque<DeviceOfPlugin> devices;
  std::vector<DeviceHandle> all, addressable;
  ClientCreate store;  // its callbacks, and their arguments
  int node = 0, nodes = 1;
  int process = 0;
  std::set<std::string> cliques;  // groups of devices that have an id
};
struct BufferOfPlugin {
  fake_pjrt::ArrayText array;
  DeviceHandle device = nullptr;
  std::shared_ptr<fake_pjrt::Block> block;  // none: deleted
};
struct ExecutableOfPlugin {
  fake_pjrt::ModuleText module;
  std::vector<DeviceHandle> devices;
  std::vector<int> ids = {};  // of the devices of all nodes
  ClientHandle client = nullptr;
};
struct LoadedOfPlugin {
  ExecutableOfPlugin program;
};
struct SerializedOfPlugin {
  std::string bytes;
};

}  // namespace tutti::xla

namespace fake_pjrt {

/// Adds the time from its construction to its destruction to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(std::chrono::nanoseconds& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += std::chrono::steady_clock::now() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::chrono::nanoseconds& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class State final : public Control {
 public:
  void reset(const Machine& machine) override;
  void fail(const std::string& function, int nth, int code, const std::string& message) override {
    failures[function] = {nth, {code, message}};
  }
  void fail_late(const std::string& function, int nth, int code, const std::string& message) override {
    late_failures[function] = {nth, {code, message}};
  }
  void raise(const std::string& function, int nth) override { exceptions[function] = {nth, {}}; }
  void watch(const std::string& function, std::function<void()> watch) override {
    watches[function] = std::move(watch);
  }
  int live(const std::string& kind) const override;
  std::chrono::nanoseconds time_inside() const override { return inside; }
  std::vector<std::string> log() const override { return calls; }
  std::vector<std::string> misuses() const override { return wrong; }
  std::string threads() const override { return threads_of_client; }
  std::vector<std::string> options() const override { return options_of_client; }
  std::vector<std::string> meetings() const override { return met; }

  struct Planned {
    int nth = 0;
    Trouble trouble;
  };
  using Plans = std::map<std::string, Planned>;
  static std::optional<Trouble> take(Plans& plans, const std::string& function);

  ErrorHandle error(int code, const std::string& message);
  /// Records a mistake that a real plugin would not survive, or not notice. Returns an error for it.
  ErrorHandle misuse(const std::string& what);
  /// Logs and checks a call. Returns the error that the call shall return, if any.
  ErrorHandle begin(const Function& function, const void* arguments, std::size_t known_bytes);
  std::optional<Trouble> late(const Function& function) { return take(late_failures, function.name); }

  template <class T>
  T* add(const std::string& kind, T made) {
    T* object = new T(std::move(made));
    handles[kind].insert(object);
    return object;
  }
  bool is_live(const std::string& kind, const void* handle) const {
    const auto found = handles.find(kind);
    return found != handles.end() && found->second.contains(handle);
  }
  template <class T>
  ErrorHandle remove(const std::string& kind, T* handle) {
    if (handles[kind].erase(handle) == 0) return misuse("an unknown " + kind + " is destroyed");
    delete handle;
    return nullptr;
  }
  EventHandle event(std::function<void()> work, std::optional<Trouble> late) {
    return add("event", EventOfPlugin{std::move(work), std::move(late)});
  }

  std::recursive_mutex lock;
  Machine machine;
  const std::vector<std::byte>* table = nullptr;
  bool is_initialised = false;
  std::chrono::nanoseconds inside{};
  std::deque<std::vector<std::byte>> tables;  // kept, because Plugin::open remembers their addresses
  std::vector<std::string> calls, wrong, options_of_client, met;
  int last_clique_id = 0;
  std::string threads_of_client;
  Plans failures, late_failures, exceptions;
  std::map<std::string, std::function<void()>> watches;
  std::map<std::string, std::set<const void*>> handles;
};

State& state();

/// A named value whose value is still to be set.
inline NamedValue named(std::string_view name, std::int32_t kind, std::size_t size) {
  NamedValue made;
  made.head.struct_size = sizeof made;
  made.name = name.data();
  made.name_bytes = name.size();
  made.kind = kind;
  made.size = size;
  return made;
}

/// A function of the table: runs the checks, then `body`.
template <class Arguments, ErrorHandle (*body)(Arguments&)>
ErrorHandle entry(Arguments* arguments) {
  const std::scoped_lock locked(state().lock);
  const Stopwatch running(state().inside);
  if (const ErrorHandle refused = state().begin(Arguments::function, arguments, sizeof(Arguments)))
    return refused;
  return body(*arguments);
}

/// The functions of the table, by index.
using Entries = std::map<int, AnyFunction>;
template <class Arguments, ErrorHandle (*body)(Arguments&)>
void add_entry(Entries& entries) {
  entries[Arguments::function.index] = reinterpret_cast<AnyFunction>(&entry<Arguments, body>);
}
void add_client_entries(Entries& entries);
void add_buffer_entries(Entries& entries);
void add_executable_entries(Entries& entries);

}  // namespace fake_pjrt
