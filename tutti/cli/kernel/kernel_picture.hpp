// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::cli {

/// Draws, as an SVG file, which program of each rank moves which tile from whom, in order: a row for each program, a box
/// for each visit, in the colour of the source. Long rows and large grids are cut, which the picture says.
/// Throws R001 if the file cannot be written.
void write_kernel_picture(const std::string& path, const kernels::Manifest& manifest);

}  // namespace tutti::cli
