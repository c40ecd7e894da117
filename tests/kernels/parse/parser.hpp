// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/kernels/parse/op_text.hpp"

namespace tutti::kernels {

/// Parses a module. Each op may be in either form. Values are numbered in the builder's order: a region's
/// arguments, its ops, then the results of the op that has the region.
class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text_of_kernel(text)) {}

  /// A parsed kernel, not yet verified.
  struct Kernel {
    Function function;
    std::size_t at;  // position in the text
  };
  std::vector<Kernel> module();

 private:
  using Names = std::map<std::string, Value, std::less<>>;
  /// A scope of names: its destructor removes the names that were defined during its lifetime.
  class NameScope {
   public:
    explicit NameScope(Parser& parser) : parser_(parser), mark_(parser.defined_.size()) {}
    ~NameScope();
    NameScope(const NameScope&) = delete;
    NameScope& operator=(const NameScope&) = delete;

   private:
    Parser& parser_;
    std::size_t mark_;
  };

  // module_text.cpp
  void skip_location_lines();
  std::vector<Kernel> kernels_until(std::string_view end);
  Kernel kernel();
  void generic_head();
  void generic_signature(Attributes& attributes);
  void triton_head();

  // parser.cpp
  Value made(const ValueType& type);
  void define(std::string name, std::size_t at, Value value);
  void define(const Token& name, Value value) { define(std::string(name.text), name.at, value); }
  Value use();
  std::vector<Value> uses();  // "%a, %b", at least one
  Op op();
  Op checked(OpText text);
  void require_types(const OpText& text) const;
  /// Reads "^bb0(%a: i32):" if it comes next: defines the region's arguments and returns their names.
  std::vector<Token> block_header(Region& region);
  /// Reads ops up to and including "}".
  void ops_to_end(Region& region);
  /// Reads "{ .. }" as a scope of names and appends its ops to `region`.
  void block(Region& region);
  struct ResultNames {
    std::string name;
    std::size_t at = 0;
    int count = 1;
  };
  std::vector<ResultNames> result_names();
  void define_results(const std::vector<ResultNames>& names, const OpText& text, const Op& op);

  // generic_form.cpp
  OpText generic_op();

  // triton_form.cpp: reads the text after an op's name.
  OpText triton_op();
  void dictionary(OpText& op);
  void enumerated(OpText& op, std::string_view attribute, int number) const;
  template <class Enum>
  void enumerated(OpText& op, std::string_view attribute, Enum first, Enum last);
  void axis_form(OpText& op);
  void converted_form(OpText& op, std::string_view arrow);
  void becomes_form(OpText& op) { converted_form(op, "->"); }
  void to_form(OpText& op) { converted_form(op, "to"); }
  void listed_form(OpText& op);
  void atomic_form(OpText& op);
  void assembly_form(OpText& op);
  void barrier_form(OpText& op);
  void constant_form(OpText& op);
  void compare_form(OpText& op);
  void select_form(OpText& op);
  void for_form(OpText& op);
  void if_form(OpText& op);
  void while_form(OpText& op);
  void condition_form(OpText& op);
  /// Reads "(%a = %x, ..)": returns the names of the new values, and appends their initial values to the
  /// operands.
  std::vector<Token> carried(OpText& op);
  /// Reads the region of a loop or branch. Adds the yield, which the text omits if it yields no values.
  void block_with_yield(Region& region);
  struct Form;
  static const Form forms[];

  Lexer in_;
  Function function_;
  Names names_;
  std::vector<Names::iterator> defined_;  // in order
  int depth_ = 0;                         // of regions
};

}  // namespace tutti::kernels
