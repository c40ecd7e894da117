// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/mlir/text_place.hpp"
#include "tutti/stablehlo/tree.hpp"

namespace tutti {

/// A module with the text that it was read from. Messages point into the text.
class SourceModule {
 public:
  SourceModule(std::string text, std::string_view name);

  const char* name() const { return name_; }
  const std::string& text() const { return text_; }
  const stablehlo::Module& module() const { return module_; }
  /// The errors of the text, S001. With errors the module is incomplete.
  const std::vector<Error>& errors() const { return errors_; }

  /// The place of a byte of the text.
  Where place(stablehlo::TextPosition position) const;
  /// The place that the user knows: the innermost line of its location; without one that in the text.
  Where place(const stablehlo::Operation& op) const;
  /// An error at a byte of the text, with its line and a caret.
  Error error_at(stablehlo::TextPosition position, Code code, std::string message,
                 std::vector<std::string> advice = {}) const;

  /// An error of this operation with its line and a caret, but without its subject, which the caller adds.
  /// Other errors as they are, and those of operations with a location in another file.
  Error marked(const Error& error, const stablehlo::Operation& op) const;

  /// Null if there is no such function.
  const stablehlo::Function* function(std::string_view name) const;
  /// The function that an attribute of an operation names; null if there is none.
  const stablehlo::Function* called(const stablehlo::Operation& op,
                                    std::string_view attribute = "callee") const;

 private:
  std::string text_;
  const char* name_;
  stablehlo::Module module_;
  std::vector<Error> errors_;
  mlir::TextPlaces places_;
  std::unordered_map<std::string, std::size_t> functions_;  // by name: the number in the module
};

}  // namespace tutti
