// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::cli {

/// Draws, as an SVG file, the order in which each rank's programs move tiles: one row per program, one box
/// per visit, in the colour of the source rank. Cuts rows after 32 boxes and grids after 8 programs; the
/// picture then says so.
/// Throws R001 if the file cannot be written.
void write_kernel_picture(const std::string& path, const kernels::Manifest& manifest);

}  // namespace tutti::cli
