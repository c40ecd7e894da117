// SPDX-License-Identifier: Apache-2.0
#include "tests/xla/on_xla.hpp"

#include "tests/xla/fake_xla.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti::xla {
namespace {

Types without_states(const Types& types) {
  Types plain;
  for (const Type& type : types) plain.emplace_back(type.dtype(), type.shape());
  return plain;
}

Source source_of(const Program& program, const Mesh& mesh, const std::string& platform) {
  return {.text = stablehlo::write(lower_replicas(program, mesh)),
          .parameters = without_states(program.types_of(program.inputs)),
          .results = without_states(program.types_of(program.outputs)),
          .overrides = exact_numbers(platform)};
}

}  // namespace

OnXla::OnXla(std::shared_ptr<const Client> client, const Program& program, const Mesh& mesh)
    : client_(std::move(client)),
      devices_(client_->choose(first(mesh.devices()))),
      executable_(Executable::compile(client_, devices_, source_of(program, mesh, client_->platform()))) {}

std::vector<Tensors> OnXla::run(const std::vector<Tensors>& inputs) const {
  std::vector<Buffers> buffers;
  for (const Tensors& input : inputs) buffers.push_back(upload_parts(client_, devices_, input));
  std::vector<Argument> arguments;
  for (Buffers& buffer : buffers) arguments.push_back({&buffer});
  std::vector<Tensors> results;
  for (const Buffers& result : executable_.run(arguments))
    results.push_back(result.download(devices_->local));
  return results;
}

}  // namespace tutti::xla
