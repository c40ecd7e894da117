// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/lower/options.hpp"
#include "tutti/run/machine.hpp"

namespace tutti {

/// Options by name. Of a plugin: {"memory_fraction", 0.5F}. Of XLA, as in XLA_FLAGS: {"xla_gpu_autotune_level", 0}.
using PluginOptions = std::vector<
    std::pair<std::string, std::variant<std::string, std::int64_t, std::vector<std::int64_t>, float, bool>>>;
using CompilerOptions =
    std::vector<std::pair<std::string, std::variant<std::string, bool, std::int64_t, double>>>;

struct XlaOptions {
  /// The plugin's file. Empty: the file that TUTTI_PJRT_PLUGIN names, else that of a known Python package under
  /// $VIRTUAL_ENV or ./.venv, accelerators first.
  std::string plugin = {};
  /// The plugin's numbers of the devices, one per device of the mesh in its order. Empty: chosen so that neighbours on
  /// the mesh are neighbours; `tutti devices` lists them.
  std::vector<int> devices = {};
  /// The precision of products of f32. `fast` lets XLA round operands to TF32 or bf16.
  Precision precision = Precision::highest;
  /// A folder for compiled programs, made if it is missing. A program that is compiled again is read from there, if plugin
  /// and options are the same and the plugin can do that. Empty: none.
  std::string cache = {};
  std::string trace = {};  // a file for a timeline of calls, uploads and downloads, for ui.perfetto.dev
  /// Several processes, each with the devices of its host (experimental: not run on several hosts yet). All give the same
  /// `coordinator`, "host:port", where process 0 listens, and run the same program in the same order. An array is handed
  /// in whole by every process, which uploads its part; a process can look at the parts of its own devices only.
  int process = 0;
  int processes = 1;
  std::string coordinator = {};
  PluginOptions plugin_options = {};
  CompilerOptions compiler_options = {};
};

/// Opens a machine of the devices that a PJRT plugin drives: GPUs, TPUs or CPUs. XLA compiles the programs. Arrays stay
/// on the devices between calls. An array of the host is copied there once, and the copy is kept while the array lives.
/// A call returns before the devices are done, but not on CPUs; a late error is thrown where a result is looked at.
/// Results differ from those of open_local by the order of sums. There is one client of a plugin with the same options.
/// While the first machine of a plugin is opened, no other thread may read or write the environment.
/// Throws R004 if there is no plugin, it cannot be opened, or it has not enough devices; R001 for a `trace` that cannot
/// be written.
Machine open_xla(const Mesh& mesh, const XlaOptions& options = {}, Where where = Where::here());

}  // namespace tutti
