// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/xla/pjrt/executable.hpp"

namespace tutti::xla {

/// A compiled module, and how it came about.
struct Compiled {
  Executable executable;
  double seconds = 0;  // that XLA took, or reading the cache
  bool is_from_cache = false;
  std::size_t text_bytes = 0;
};

/// Compiles a module for the devices, or reads it from the folder `cache`, where it was written before; empty: no cache.
/// A cache that cannot be read or written is no error.
/// Throws as Executable::compile does. A module that the plugin refuses is written to a file that the error names.
Compiled compiled(const std::shared_ptr<const Client>& client,
                  const std::shared_ptr<const DeviceList>& devices, const Source& source,
                  const std::string& cache);

}  // namespace tutti::xla
