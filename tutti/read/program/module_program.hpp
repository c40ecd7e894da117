// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tutti/ir/builder.hpp"
#include "tutti/read/source.hpp"
#include "tutti/types/mesh.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti::internal {

struct ProgramOptions {
  std::string function = "main";
  std::optional<Mesh> mesh = {};  // of a module that declares none
  int platform_index = 0;         // which of the platforms that the text is for
};

/// A function of a module, of arrays to arrays. A small value.
/// A module without maps that communicates is the program of one device. Its arguments and results have the
/// devices as an additional first dim.
class ModuleProgram {
 public:
  struct Parameter {
    std::string name;  // of its location, or "arg0"
    Type type;
    std::optional<Sharding> sharding;  // as the text says that it lies; axes of size 1 included
  };
  struct Result {
    std::string name;  // jax.result_info, or "result0"
    Type type;
    std::optional<Sharding> sharding;
  };

  /// Throws S001 for a text with errors, T014 for its mesh, R002 where there is no such function.
  ModuleProgram(std::shared_ptr<const SourceModule> source, const ProgramOptions& options);

  const Mesh& mesh() const { return mesh_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Result>& results() const { return results_; }
  const SourceModule& source() const { return *source_; }

  /// Computes the function in the current trace. Throws S002 at the first operation that is not run here, and
  /// the errors of a wrong program.
  Arrays operator()(const Arrays& arguments) const;

 private:
  Arrays on_each_device(const Arrays& arguments) const;
  Arrays computed(Arrays arguments, const Axes& bound) const;
  Type with_devices(Type type) const;
  Sharding sharding_of_devices(int rank) const;

  std::shared_ptr<const SourceModule> source_;
  const stablehlo::Function* function_;
  Mesh mesh_;
  bool is_of_one_device_ = false;
  int platform_index_ = 0;
  std::optional<std::size_t> platform_;  // the argument of the function that takes the platform's index
  std::vector<Parameter> parameters_;
  std::vector<Result> results_;
};

/// Operations of one kind that are not run here.
struct NotRun {
  std::string what;  // "stablehlo.convolution"
  int count = 0;
  stablehlo::TextPosition first;
  std::string instead;
};
/// All operations in reach of the function that are legal, and not run here.
std::vector<NotRun> operations_not_run(const SourceModule& source, const stablehlo::Function& function);
/// Throws S002 with the table of all of them, if there are any.
void require_all_run(const SourceModule& source, const stablehlo::Function& function);

/// Throws S001 with all errors of the text, if there are any.
void require_no_errors(const SourceModule& source);

}  // namespace tutti::internal
