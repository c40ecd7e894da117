// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/base/where.hpp"

namespace tutti {

/// "train.cpp:12": a place without the file's folders. A build may name whole paths. Empty if unknown.
std::string short_place(const Where& where);

}  // namespace tutti
