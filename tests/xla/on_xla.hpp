// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tutti/ir/program.hpp"
#include "tutti/tensor/tensor.hpp"
#include "tutti/types/mesh.hpp"
#include "tutti/xla/pjrt/executable.hpp"

namespace tutti::xla {

/// One device's program, compiled in replica form for the first devices of a client.
class OnXla {
 public:
  OnXla(std::shared_ptr<const Client> client, const Program& program, const Mesh& mesh);
  /// inputs[k][d] is input k on device d of the mesh. Result [k][d] is output k on device d.
  std::vector<Tensors> run(const std::vector<Tensors>& inputs) const;

 private:
  std::shared_ptr<const Client> client_;
  std::shared_ptr<const DeviceList> devices_;
  Executable executable_;
};

}  // namespace tutti::xla
