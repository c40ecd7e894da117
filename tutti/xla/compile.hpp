// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/xla/pjrt/executable.hpp"

namespace tutti::xla {

/// A compiled module, with facts for explain().
struct Compiled {
  Executable executable;
  double seconds = 0;  // of compilation, or of loading from the cache
  bool is_from_cache = false;
  std::size_t text_bytes = 0;
};

/// Compiles a module for the devices, and writes it to the folder `cache`. If it is there already, loads it.
/// `cache` empty: no cache. A cache that cannot be read or written is no error.
/// Throws as Executable::compile does. If the plugin refuses the module, its text is kept in a file that the
/// error names.
Compiled compiled(const std::shared_ptr<const Client>& client,
                  const std::shared_ptr<const DeviceList>& devices, const Source& source,
                  const std::string& cache);

}  // namespace tutti::xla
