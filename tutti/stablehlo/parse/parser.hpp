// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tutti/mlir/lexer.hpp"
#include "tutti/stablehlo/tree.hpp"

namespace tutti::stablehlo {

using mlir::Lexer;
using mlir::Token;
using mlir::TokenKind;

/// An operation while it is read: what the text says of it, and where.
struct OperationText {
  Operation op;
  std::vector<Token> operand_names;  // as op.operands, for messages
};

/// Parses a module in generic or pretty form, or a mix. Collects errors: after one it goes on at the next
/// statement.
class Parser {
 public:
  Parser(std::string_view text, const char* name);

  /// Reads all of the text.
  void read();
  Module take_module() { return std::move(module_); }
  std::vector<Error> take_errors() { return std::move(errors_); }

 private:
  struct Values {
    Value first;
    int count = 1;
  };
  using Names = std::unordered_map<std::string_view, Values>;
  /// Bounds the nesting of regions, attributes, types and locations, and so the stack.
  class Level {
   public:
    explicit Level(Parser& parser);
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };
  /// A scope of names: its end removes the names that were defined in it.
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
  /// An alias whose definition is being read, and so may not use it.
  class OpenAlias {
   public:
    OpenAlias(Parser& parser, std::string_view name) : parser_(parser) {
      parser_.open_aliases_.push_back(name);
    }
    ~OpenAlias() { parser_.open_aliases_.pop_back(); }
    OpenAlias(const OpenAlias&) = delete;
    OpenAlias& operator=(const OpenAlias&) = delete;

   private:
    Parser& parser_;
  };
  /// An alias that has been read: its value, and how many bytes of text it stands for.
  template <class T>
  struct Alias {
    T value;
    std::size_t bytes = 0;
  };
  template <class T>
  using Aliases = std::unordered_map<std::string_view, Alias<T>>;
  /// The text that aliases have stood for, in bytes, and its bound. Without a bound, 50 lines fill the
  /// memory: each uses the next line twice.
  struct Expansion {
    std::string_view of;
    std::size_t most, bytes = 0;
  };
  struct ResultNames {
    Token name;
    int count = 1;
  };

  // parser.cpp: values, operations, regions
  void report(const Error& error);
  void skip_statement(std::size_t begin);
  Value made(const ValueType& type);
  void define(const Token& name, Values values);
  void define_argument(const Token& name, const ValueType& type, Block& block);
  std::vector<Value> define_results(const std::vector<ResultNames>& names, const OperationText& text);
  void define_broken(const std::vector<ResultNames>& names);
  std::vector<ResultNames> result_names();
  [[noreturn]] void refuse_name(const Token& name) const;
  void use(OperationText& text);                  // "%a", as the next operand
  void uses(OperationText& text);                 // "%a, %b", at least one
  void uses_in_parentheses(OperationText& text);  // "(%a, %b)"
  void require_types(const OperationText& text);
  void require_counts(const OperationText& text);
  Operation operation();
  void statements(std::vector<Operation>& operations);  // up to "}", which is not taken
  void block_header(Block& block);
  bool sees_statement() const;
  void open_region();
  /// Reads "{ .. }". The block's arguments are defined if it has a header; else `names` are those of the
  /// arguments that it has already.
  void region_body(Block& block, const std::vector<Token>& names = {});
  void region(Block& block, bool is_isolated, const std::vector<Token>& names = {});
  void function_region(Block& block);
  void generic(OperationText& text);

  // aliases_inl.hpp, aliases.cpp
  void find_aliases();
  void skip_aliases();
  /// The value of an alias, whose definition `read` reads at its first use.
  template <class T>
  T alias(const Token& name, Aliases<T>& known, Expansion& expansion, T (Parser::*read)());

  // module_text.cpp: modules, functions
  void module_head();
  void module_statements(std::string_view end);
  void module_statement();
  void function();
  void function_arguments(Function& function, std::vector<Token>& names);
  void function_results(Function& function);
  void add_module(Operation op);
  void add_function(Operation op);

  // types_text.cpp
  ValueType type();
  TensorType tensor_type();
  std::string element_type();
  std::vector<ValueType> types();                 // "T, U", at least one
  std::vector<ValueType> types_in_parentheses();  // "(T, U)"
  std::vector<ValueType> result_types();          // "T" or "(T, U)"
  void functional_type(OperationText& text);      // "(T, U) -> V"
  /// Reads ": T", the type of all operands and of one result, or ": (T, U) -> V".
  void same_or_functional_type(OperationText& text);

  // attributes_text.cpp
  Attribute attribute();
  Attribute number();
  Attribute list();
  Attribute dialect_attribute();
  Attribute stablehlo_attribute(std::string_view name, std::size_t begin);
  Attribute sdy_attribute(std::string_view name, std::size_t begin);
  Attribute verbatim(std::size_t begin);  // the rest up to the bracket that closes the one just taken
  Attribute record_field();
  Attribute integer_array();
  Attributes dictionary();  // "{a = 1, b}"
  Attributes dictionary_if_there();
  void add_attributes(OperationText& text, Attributes attributes);
  void add(OperationText& text, std::string_view name, Attribute value, std::size_t at);
  std::vector<std::int64_t> integers();  // "[1, 2]"

  // dense_reader.cpp
  Attribute dense();

  // shardy_text.cpp
  MeshAxes mesh_axes();
  ValueSharding value_sharding();
  ShardingPerValue sharding_per_value();
  std::vector<AxisPart> axis_parts();  // "{"x", "y"}"
  AxisPart axis_part();
  AxisPart axis_reference();
  void factor_of(AxisPart& part);
  DimSharding dim_sharding();
  ManualAxes manual_axes();
  void mesh_symbol(OperationText& text);
  void manual_computation(OperationText& text);
  void sharding_constraint(OperationText& text);

  // locations_text.cpp
  Location location_if_there();
  LocationNode location();

  // forms.cpp
  struct Form;
  static const Form forms[];
  static const Form* form_of(std::string_view name);
  /// Refuses names of StableHLO that it does not have.
  void require_known(std::string_view name, std::size_t at) const;

  // pretty.cpp: what follows the name of an operation in its pretty form
  void pretty(OperationText& text, const Token& name);
  bool operands_and_comma(OperationText& text);
  void integers_named(OperationText& text, std::string_view word, std::string_view attribute);
  void elementwise(OperationText& text);
  void complex(OperationText& text);
  void select(OperationText& text);
  void compare(OperationText& text);
  void constant(OperationText& text);
  void iota(OperationText& text);
  void with_dims(OperationText& text);
  void with_dim(OperationText& text);
  void slice(OperationText& text);
  void with_sizes(OperationText& text);
  void pad(OperationText& text);
  void with_words(OperationText& text);
  void word_of(OperationText& text, const Token& key);
  void precision(OperationText& text);
  void dot_general(OperationText& text);
  void dot(OperationText& text);
  void arrow_typed(OperationText& text);
  void top_k(OperationText& text);

  // pretty_regions.cpp
  void reduce(OperationText& text);
  void reducer_named(OperationText& text, const Token& name);
  void reducer_written(OperationText& text);
  void while_loop(OperationText& text);
  void returned(OperationText& text);
  void call(OperationText& text);
  void custom_call(OperationText& text);
  void composite(OperationText& text);
  void barrier(OperationText& text);
  void without_operands(OperationText& text);
  void after_all(OperationText& text);
  void tuple(OperationText& text);
  void element_of_tuple(OperationText& text);
  void convolution(OperationText& text);
  void window(OperationText& text);

  Lexer in_;
  std::vector<Error> errors_;
  Module module_;
  Names names_;
  std::vector<std::string_view> defined_;  // in order, for the end of their scope
  std::vector<ValueType> types_;           // of the values of the function that is read
  std::vector<bool> is_broken_;            // per value: its operation has an error
  const Form* form_ = nullptr;             // of the operation that is read
  int depth_ = 0;
  std::unordered_map<std::string_view, std::size_t> alias_at_;  // where its definition begins, behind "="
  std::vector<std::string_view> open_aliases_;
  Aliases<Attribute> attribute_aliases_;
  Aliases<ValueType> type_aliases_;
  Aliases<LocationNode> location_aliases_;
  // A tree takes up to 80 bytes for a byte of text. Locations share their parts; the bound is for each, and
  // also bounds its depth.
  Expansion of_values_{"a text", std::size_t{8} << 20}, of_location_{"a location", std::size_t{128} << 10};
};

}  // namespace tutti::stablehlo
