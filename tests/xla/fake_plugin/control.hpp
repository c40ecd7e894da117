// SPDX-License-Identifier: Apache-2.0
// The fake plugin as tests see it: they set it up, and ask for its log.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fake_pjrt {

struct MadeUpDevice {
  int id = 0, process = 0;
  std::string kind = "fake device";
  std::vector<std::int64_t> coords = {};  // attributes: coords, numbers, texts
  std::map<std::string, std::int64_t> numbers = {};
  std::map<std::string, std::string> texts = {};
};

struct Machine {
  std::string platform = "cpu", version = "fake 1.0";
  int major = 0, minor = 115;
  int functions = 138;        // in the table
  int missing_function = -1;  // a null pointer in the table
  std::size_t larger = 0;     // extra bytes over 0.81 that every struct must have, as for a future plugin
  std::vector<MadeUpDevice> devices = {};  // empty: cpu_device_count of them, or 4
  int process = 0;                         // of the client, which drives the devices of this process
  std::int64_t memory_bytes = std::int64_t{1} << 30;  // per device
  bool has_statistics = true;
  // For clients with the options node_id and num_nodes, which have the devices of all nodes. Platform cpu
  // refuses them.
  std::vector<int> devices_of_nodes = {2, 1, 3};  // by node; further nodes have 1
  int topology_timeout_ms = 20000;                // for values that other nodes put into the key-value store
};

/// A machine by name: "cpu", "gpu", "tpu", "old", "idle". A process that does not control the plugin gets the
/// machine that the environment variable FAKE_PJRT names, or "cpu".
Machine machine_named(const std::string& name);

/// Controls the fake plugin. Results are zeros. Work runs as late as possible, when its event is awaited or
/// destroyed:
/// an upload whose memory is freed too early brings wrong bytes. An executable lists its devices backwards.
class Control {
 public:
  /// Forgets everything, and makes a new table, so that the next open initialises the plugin again.
  virtual void reset(const Machine& machine) = 0;
  /// The nth call of a function from now on (1 is the next) returns an error and does nothing.
  virtual void fail(const std::string& function, int nth, int code, const std::string& message) = 0;
  /// The nth call of a function succeeds, but its event, or its results, report an error.
  virtual void fail_late(const std::string& function, int nth, int code, const std::string& message) = 0;
  /// The nth call of a function throws a C++ exception. "free_serialised" is the deleter of serialised
  /// programs.
  virtual void raise(const std::string& function, int nth) = 0;
  /// Every call of a function calls `watch` first.
  virtual void watch(const std::string& function, std::function<void()> watch) = 0;

  /// Number of handles that are not destroyed. Kinds: "error", "event", "client", "buffer", "executable",
  /// "loaded", "serialised", and "value" for values of the key-value store. "" counts all.
  virtual int live(const std::string& kind) const = 0;
  /// Time spent in the plugin's functions since the last reset.
  virtual std::chrono::nanoseconds time_inside() const = 0;
  /// The names of all functions that were called, in order.
  virtual std::vector<std::string> log() const = 0;
  /// Mistakes of the client: "PJRT_Buffer_Destroy of an unknown buffer".
  virtual std::vector<std::string> misuses() const = 0;
  /// PJRT_NPROC when the last client was created; empty if it was not set.
  virtual std::string threads() const = 0;
  /// The options of the last client, "name=value".
  virtual std::vector<std::string> options() const = 0;
  /// The ids of groups of devices of several nodes that have run a program, per node: "node 1, devices 0,2:
  /// ID".
  virtual std::vector<std::string> meetings() const = 0;

 protected:
  ~Control() = default;
};

}  // namespace fake_pjrt
