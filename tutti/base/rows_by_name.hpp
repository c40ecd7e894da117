// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>

#include "tutti/base/never_destroyed.hpp"

namespace tutti {

/// The rows of constant tables by their member `name`. Made for a static: it is never destroyed.
template <class Row>
class RowsByName {
 public:
  RowsByName(std::initializer_list<std::span<const Row>> tables) {
    for (const std::span<const Row> table : tables)
      for (const Row& row : table) rows_->emplace(row.name, &row);
  }

  /// Null if there is none.
  const Row* find(std::string_view name) const {
    const auto found = rows_->find(name);
    return found == rows_->end() ? nullptr : found->second;
  }

 private:
  NeverDestroyed<std::unordered_map<std::string_view, const Row*>> rows_;
};

}  // namespace tutti
