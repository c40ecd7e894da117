// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/lower/options.hpp"
#include "tutti/run/machine.hpp"

namespace tutti {

/// Options by name. PluginOptions: {"memory_fraction", 0.5F}. CompilerOptions, as in XLA_FLAGS:
/// {"xla_gpu_autotune_level", 0}.
using PluginOptions = std::vector<
    std::pair<std::string, std::variant<std::string, std::int64_t, std::vector<std::int64_t>, float, bool>>>;
using CompilerOptions =
    std::vector<std::pair<std::string, std::variant<std::string, bool, std::int64_t, double>>>;

/// Options of open_xla.
struct XlaOptions {
  /// The plugin's file. Empty: the file that TUTTI_PJRT_PLUGIN names, else that of a known Python package
  /// under $VIRTUAL_ENV or the .venv of the checkout that this program was built in, accelerators first. The
  /// current folder is never searched.
  std::string plugin = {};
  /// The plugin's numbers of the devices, one per device of the mesh, in mesh order. `tutti devices` lists
  /// them. Empty:
  /// chosen so that neighbours on the mesh have a link.
  std::vector<int> devices = {};
  /// The precision of products of f32. `fast` lets XLA round operands to TF32 or bf16.
  Precision precision = Precision::highest;
  /// A folder that caches compiled programs, created if it is missing. A program is loaded from there if
  /// plugin and options are the same, and the plugin can serialise programs. Empty: no cache.
  std::string cache = {};
  std::string trace = {};  // a file for a timeline of calls, uploads and downloads, for ui.perfetto.dev
  /// Takes each line that debug_print writes, on the thread of the call. Empty: the standard output. The
  /// function may call other programs, but not the one whose line it takes (R004).
  std::function<void(std::string_view line)> print = {};
  /// Several processes, each with the devices of its host. Experimental: not run on several hosts yet.
  /// Process 0 listens at `coordinator`, "host:port", which all processes give. All run the same programs in
  /// the same order.
  /// Every process passes whole arrays, and uploads its own parts; with Machine::from_shards it passes only
  /// its parts.
  /// It can read only the parts on its own devices.
  /// Each machine of several processes has a client and a coordinator of its own.
  int process = 0;
  int processes = 1;
  std::string coordinator = {};
  /// Needed with several processes: 16 to 256 bytes that only they know, as `openssl rand -hex 16` prints.
  /// Process 0 refuses whoever does not know it.
  std::string secret = {};
  PluginOptions plugin_options = {};
  CompilerOptions compiler_options = {};
};

/// Opens a machine of the devices that a PJRT plugin drives: GPUs, TPUs or CPUs. XLA compiles the programs.
/// Arrays stay on the devices between calls. An array on the host is uploaded once; the copy is kept while
/// the array lives.
/// A call returns before the devices are done, except on CPUs. A later error is thrown when a result is read.
/// Sums are in another order than those of open_local, so results differ by rounding. Machines with the same
/// plugin and the same options share one client.
/// While the first machine of a plugin is opened, no other thread may read or write the environment.
/// Throws R004 if there is no plugin, it cannot be opened, or it has too few devices; R001 for a `trace` that
/// cannot be written.
Machine open_xla(const Mesh& mesh, const XlaOptions& options = {}, Where where = Where::here());

}  // namespace tutti
