// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/operation_rows.hpp"

#include "tutti/base/rows_by_name.hpp"

namespace tutti {

const OperationRow* row_of(std::string_view name) {
  static const RowsByName<OperationRow> rows{elementwise_rows(), shape_rows(),      fold_rows(),
                                             indexing_rows(),    collective_rows(), control_rows(),
                                             linalg_rows(),      refused_rows()};
  return rows.find(name);
}

}  // namespace tutti
