// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/plan/plan.hpp"

namespace tutti::cli {

/// Draws the array before the plan and after each step, as an SVG file: a frame for each block, in it a tile
/// for each device that holds the block. Arrays of more than two dims are drawn by their first two.
/// Throws R001 if the file cannot be written.
void write_picture(const std::string& path, const ReshardPlan& plan);

}  // namespace tutti::cli
