// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/page/laid_array.hpp"
#include "tutti/page/picture.hpp"

namespace tutti::internal {

/// How an array lies on its mesh, for a terminal; as picture() in tutti/page/picture.hpp says.
std::string text_picture(const LaidArray& array, const PictureOptions& options);

}  // namespace tutti::internal
