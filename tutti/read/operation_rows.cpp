// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/operation_rows.hpp"

#include <unordered_map>

namespace tutti {

const OperationRow* row_of(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const OperationRow*> all;
    for (const OperationRows rows : {elementwise_rows(), shape_rows(), fold_rows(), indexing_rows(),
                                     collective_rows(), control_rows(), refused_rows()})
      for (const OperationRow& row : rows) all.emplace(row.name, &row);
    return all;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace tutti
