// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace examples {

/// All of a file, compressed with gzip or not.
/// Throws R001 with `advice` if it cannot be read: "give the path of digits.csv.gz with --data".
std::string read_text(const std::string& path, const std::string& advice);

/// Writes the whole file or none. `kind`, such as ".svg", is the ending that an error recommends.
/// Throws R001 if it cannot be written.
void write_text(const std::string& path, const char* kind, const std::string& text);

}  // namespace examples
