// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/load.hpp"

#include "tutti/base/inside.hpp"
#include "tutti/read/program/module_program.hpp"
#include "tutti/read/program/program_file.hpp"

namespace tutti {
namespace {

template <class Value>
LoadedArray as_loaded(const Value& value) {
  std::optional<P> spec;
  if (value.sharding) spec = parse_spec(to_string(*value.sharding));
  return {value.name, value.type.shape(), value.type.dtype(), std::move(spec)};
}

}  // namespace

Loaded::Loaded(std::shared_ptr<const ModuleProgram> program) : program_(std::move(program)) {}

const Mesh& Loaded::mesh() const { return program_->mesh(); }

std::vector<LoadedArray> Loaded::parameters() const {
  std::vector<LoadedArray> all;
  for (const ModuleProgram::Parameter& each : program_->parameters()) all.push_back(as_loaded(each));
  return all;
}

std::vector<LoadedArray> Loaded::results() const {
  std::vector<LoadedArray> all;
  for (const ModuleProgram::Result& each : program_->results()) all.push_back(as_loaded(each));
  return all;
}

std::vector<Array> Loaded::operator()(const std::vector<Array>& arguments) const {
  return (*program_)(arguments);
}

Loaded load(const std::string& path, const LoadOptions& options) {
  return load_text(text_of_program_file(path), path, options);
}

Loaded load_text(std::string text, std::string_view name, const LoadOptions& options) {
  const auto source = std::make_shared<const SourceModule>(std::move(text), name);
  return Loaded(std::make_shared<const ModuleProgram>(source, ProgramOptions{options.function, options.mesh,
                                                                             options.platform_index}));
}

}  // namespace tutti
