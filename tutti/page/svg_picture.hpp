// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/page/laid_array.hpp"

namespace tutti::internal {

/// How an array lies on its mesh, as SVG; as picture_svg() in tutti/page/picture.hpp says.
std::string svg_picture(const LaidArray& array);

}  // namespace tutti::internal
