// SPDX-License-Identifier: Apache-2.0
// Programs of JAX as functions: the text that jax.export or jax.jit(f).lower(x).as_text() gives.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/tree/specs.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti::internal {
class ModuleProgram;
}  // namespace tutti::internal

namespace tutti {

/// Options of load.
struct LoadOptions {
  std::string function = "main";  // of the module
  std::optional<Mesh> mesh = {};  // of a module that declares none
  int platform_index = 0;         // of an export for several platforms: which of them is meant
};

/// A parameter or a result of a loaded program.
struct LoadedArray {
  std::string name;  // as the text has it: that of loc("x"), jax.result_info; else "arg0", "result0"
  Shape shape;
  DType dtype;
  std::optional<P> spec = {};  // how it lies on the mesh, if the text says so
};

/// A program that was read from StableHLO, as a function of whole arrays. A small value.
/// A module without maps whose devices communicate is the program of one device: its arrays have the devices
/// as an additional first dim.
class Loaded {
 public:
  explicit Loaded(std::shared_ptr<const internal::ModuleProgram> program);

  /// The mesh that the module declares. Without one the mesh has no axes.
  const Mesh& mesh() const;
  /// The parameters of the function, in order: names, shapes, dtypes, and how they lie on the mesh.
  std::vector<LoadedArray> parameters() const;
  /// The results of the function, in order.
  std::vector<LoadedArray> results() const;

  /// The results for these arguments, recorded as any function's: inside of Machine::compile, grad, vmap and
  /// lower_text. Errors name the line of the program in Python, if the text has locations; else that of the
  /// text.
  /// Throws T015 for arguments of other types or another number, and the errors of a wrong program.
  std::vector<Array> operator()(const std::vector<Array>& arguments) const;

 private:
  std::shared_ptr<const internal::ModuleProgram> program_;
};

/// Reads a program from a file of StableHLO's text.
/// Throws R001 for a file that cannot be read, and for one of another kind; S001 with all errors of the text;
/// S002 with all operations that are not run here; T014 for its mesh; R002 if it has no such function.
/// Example:
///     Loaded program = load(path);
///     auto run = machine.compile(program, std::vector<Array>{x});
///     Array result = run(std::vector<Array>{x})[0];
Loaded load(const std::string& path, const LoadOptions& options = {});
/// The same of a text. `name` stands for it in messages.
Loaded load_text(std::string text, std::string_view name = "text", const LoadOptions& options = {});

}  // namespace tutti
