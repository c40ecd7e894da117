// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tutti/base/inside.hpp"

namespace tutti {

/// The page of tutti/page/browser, which the build embeds (cmake/page_text.cmake). A title and the JSON of a
/// report go where {{title}} and {{data}} stand.
std::string_view page_text();

}  // namespace tutti
