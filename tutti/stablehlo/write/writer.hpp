// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tutti/stablehlo/write/write.hpp"

namespace tutti::stablehlo {

/// Writes one module. `write.cpp` has modules, functions and generic forms; `pretty*.cpp` have pretty forms.
class Writer {
 public:
  explicit Writer(const WriteOptions& options) : options_(options) {}
  std::string take() { return std::move(text_); }

  void module(const Module& module);

 private:
  struct Form;
  static const Form forms[];

  /// The text between the name of an operation and its types.
  struct Pretty {
    std::string text;                         // " %0, dims = [1]"
    std::vector<std::string_view> spelled{};  // the attributes that `text` gives
    std::string types{};                      // empty: as those of `same_or_functional_type`
  };
  using PrettyForm = std::optional<Pretty>;  // none: the generic form

  void function(const Function& function);
  void operation(const Operation& op);
  void generic(const Operation& op);
  /// False: this operation is written in generic form.
  bool pretty(const Operation& op);
  void region(const Block& block);
  void lines_of(const Block& block);

  PrettyForm elementwise(const Operation& op);
  PrettyForm with_functional_type(const Operation& op);
  PrettyForm complex(const Operation& op);
  PrettyForm select(const Operation& op);
  PrettyForm compare(const Operation& op);
  PrettyForm constant(const Operation& op);
  PrettyForm iota(const Operation& op);
  PrettyForm dims(const Operation& op);
  PrettyForm dim(const Operation& op);
  PrettyForm slice(const Operation& op);
  PrettyForm dynamic_slice(const Operation& op);
  PrettyForm pad(const Operation& op);
  PrettyForm reduce_precision(const Operation& op);
  PrettyForm convolution(const Operation& op);
  PrettyForm dot_general(const Operation& op);
  PrettyForm dot(const Operation& op);
  PrettyForm fft(const Operation& op);
  PrettyForm arrow_typed(const Operation& op);
  PrettyForm top_k(const Operation& op);
  PrettyForm returned(const Operation& op);
  PrettyForm call(const Operation& op);
  PrettyForm custom_call(const Operation& op);
  PrettyForm composite(const Operation& op);
  PrettyForm barrier(const Operation& op);
  PrettyForm without_operands(const Operation& op);
  PrettyForm mesh_symbol(const Operation& op);
  PrettyForm sharding_constraint(const Operation& op);
  /// Forms with regions write their lines themselves.
  bool reduce(const Operation& op);
  bool while_loop(const Operation& op);
  bool manual_computation(const Operation& op);

  /// " {a = 1}" of the attributes that are not in the list; empty if there are none.
  static std::string other_attributes(const Operation& op, const std::vector<std::string_view>& spelled);
  std::string argument(const Block& block, std::size_t i);
  std::string location(const Location& place) const;
  std::string name(const Operation& op, Value value) const;
  std::string operands(const Operation& op, std::size_t first = 0, std::size_t behind = npos) const;
  /// "%0 = "; gives the results their names.
  std::string results_text(const Operation& op);
  void line(const std::string& content);
  void indented(const std::function<void()>& write_lines);

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  WriteOptions options_;
  const Form* form_ = nullptr;  // of the operation that is being written
  std::string text_;
  std::map<int, std::string> names_;  // of the values of this function
  int results_ = 0, arguments_ = 0, depth_ = 0;
};

/// True for MLIR's discardable attributes: they belong to another dialect and say so before the dot. An op's
/// own have no dot.
bool is_foreign(const NamedAttribute& attribute);
/// "tensor<2xf32>", or "(tensor<2xf32>) -> tensor<3xf32>".
std::string same_or_functional_type(const Operation& op);
std::string functional_type(const Operation& op);

}  // namespace tutti::stablehlo
