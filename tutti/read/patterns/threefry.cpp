// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/patterns/threefry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "tutti/base/never_destroyed.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/random_bits.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/read/patterns/scalar_region.hpp"

namespace tutti {
namespace {

/// True for the shape of the counters in the text below, which stands for any shape.
bool is_any(const std::vector<std::int64_t>& shape) { return shape.size() == 1 && shape[0] == 7; }

/// One of four rounds: %x, %y are the words before it, %x1, %y1 behind it.
std::string round_text(int i) {
  const auto name = [](char letter, int number) { return fmt::format("%{}{}", letter, number); };
  const std::string x = name('x', i), y = name('y', i), x1 = name('x', i + 1), y1 = name('y', i + 1);
  return fmt::format(
      "%part{0} = stablehlo.slice %turns [{0}:{5}] : (tensor<4xui32>) -> tensor<1xui32>\n"
      "%left{0} = stablehlo.reshape %part{0} : (tensor<1xui32>) -> tensor<ui32>\n"
      "{3} = stablehlo.add {1}, {2} : tensor<7xui32>\n"
      "%lefts{0} = stablehlo.broadcast_in_dim %left{0}, dims = [] : (tensor<ui32>) -> tensor<7xui32>\n"
      "%high{0} = stablehlo.shift_left {2}, %lefts{0} : tensor<7xui32>\n"
      "%width{0} = stablehlo.constant dense<32> : tensor<ui32>\n"
      "%right{0} = stablehlo.subtract %width{0}, %left{0} : tensor<ui32>\n"
      "%rights{0} = stablehlo.broadcast_in_dim %right{0}, dims = [] : (tensor<ui32>) -> tensor<7xui32>\n"
      "%low{0} = stablehlo.shift_right_logical {2}, %rights{0} : tensor<7xui32>\n"
      "%turned{0} = stablehlo.or %high{0}, %low{0} : tensor<7xui32>\n"
      "{4} = stablehlo.xor {3}, %turned{0} : tensor<7xui32>\n",
      i, x, y, x1, y1, i + 1);
}

/// threefry2x32 as JAX 0.10 writes it for CPUs: a loop of five groups of four rounds.
std::string reference_text() {
  std::string rounds;
  for (int i = 0; i < 4; ++i) rounds += round_text(i);
  return R"(
func.func private @threefry2x32(%key0: tensor<ui32>, %key1: tensor<ui32>, %high: tensor<7xui32>,
    %low: tensor<7xui32>) -> (tensor<7xui32>, tensor<7xui32>) {
  %odd = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
  %even = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
  %both = stablehlo.xor %key0, %key1 : tensor<ui32>
  %parity = stablehlo.constant dense<466688986> : tensor<ui32>
  %key2 = stablehlo.xor %both, %parity : tensor<ui32>
  %keys0 = stablehlo.broadcast_in_dim %key0, dims = [] : (tensor<ui32>) -> tensor<7xui32>
  %x = stablehlo.add %high, %keys0 : tensor<7xui32>
  %keys1 = stablehlo.broadcast_in_dim %key1, dims = [] : (tensor<ui32>) -> tensor<7xui32>
  %y = stablehlo.add %low, %keys1 : tensor<7xui32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %start = stablehlo.constant dense<0> : tensor<i32>
  %all:9 = stablehlo.while(%count = %start, %group = %zero, %a = %x, %b = %y, %k1 = %key1, %k2 = %key2,
      %k0 = %key0, %turns = %odd, %others = %even)
      : tensor<i32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>,
        tensor<4xui32>, tensor<4xui32>
  cond {
    %end = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %count, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next:8 = func.call @rounds(%group, %a, %b, %k1, %k2, %k0, %turns, %others)
        : (tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>,
           tensor<4xui32>, tensor<4xui32>)
        -> (tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>,
            tensor<4xui32>, tensor<4xui32>)
    %one = stablehlo.constant dense<1> : tensor<i32>
    %counted = stablehlo.add %count, %one : tensor<i32>
    stablehlo.return %counted, %next#0, %next#1, %next#2, %next#3, %next#4, %next#5, %next#6, %next#7
        : tensor<i32>, tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>,
          tensor<4xui32>, tensor<4xui32>
  }
  return %all#2, %all#3 : tensor<7xui32>, tensor<7xui32>
}
func.func private @rounds(%group: tensor<i32>, %x0: tensor<7xui32>, %y0: tensor<7xui32>, %k1: tensor<ui32>,
    %k2: tensor<ui32>, %k0: tensor<ui32>, %turns: tensor<4xui32>, %others: tensor<4xui32>)
    -> (tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>,
        tensor<4xui32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %next = stablehlo.add %group, %one : tensor<i32>
)" + rounds +
         R"(
  %keys1 = stablehlo.broadcast_in_dim %k1, dims = [] : (tensor<ui32>) -> tensor<7xui32>
  %x = stablehlo.add %x4, %keys1 : tensor<7xui32>
  %keys2 = stablehlo.broadcast_in_dim %k2, dims = [] : (tensor<ui32>) -> tensor<7xui32>
  %sum = stablehlo.add %y4, %keys2 : tensor<7xui32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %number = stablehlo.add %group, %step : tensor<i32>
  %bits = stablehlo.convert %number : (tensor<i32>) -> tensor<ui32>
  %numbers = stablehlo.broadcast_in_dim %bits, dims = [] : (tensor<ui32>) -> tensor<7xui32>
  %y = stablehlo.add %sum, %numbers : tensor<7xui32>
  return %next, %x, %y, %k2, %k0, %k1, %others, %turns
      : tensor<i32>, tensor<7xui32>, tensor<7xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>,
        tensor<4xui32>
}
)";
}

const SourceModule& reference() {
  static const NeverDestroyed<SourceModule> module(SourceModule(reference_text(), "threefry2x32"));
  return *module;
}

/// Compares functions operation by operation. Names of values, functions and places do not count, nor where
/// constants stand. `counter` is the type of the loop's counters.
class Comparison {
 public:
  Comparison(const SourceModule& source, const std::vector<std::int64_t>& shape, std::string_view counter)
      : source_(source), shape_(shape), counter_(counter) {}

  bool are_same(const stablehlo::Function& found, const stablehlo::Function& known) const {
    Values values;
    return !found.is_declaration && are_same(found.body, known.body, values);
  }

 private:
  struct Values {
    std::unordered_map<int, int> found_to_known;
    std::unordered_map<int, const stablehlo::Operation*> found_constants, known_constants;
  };
  using Operations = std::vector<const stablehlo::Operation*>;

  /// The other operations of a block.
  static Operations without_constants(const stablehlo::Block& block,
                                      std::unordered_map<int, const stablehlo::Operation*>& constants) {
    Operations others;
    for (const stablehlo::Operation& op : block.operations)
      if (op.name == "stablehlo.constant" && op.results.size() == 1) constants[op.results[0].id] = &op;
      else others.push_back(&op);
    return others;
  }

  bool are_same(const stablehlo::Block& found, const stablehlo::Block& known, Values& values) const {
    if (!are_same(found.argument_types, known.argument_types)) return false;
    if (!define(found.arguments, known.arguments, values)) return false;
    const Operations of_found = without_constants(found, values.found_constants),
                     of_known = without_constants(known, values.known_constants);
    return std::ranges::equal(of_found, of_known, [&](const auto* one, const auto* other) {
      return are_same(*one, *other, values);
    });
  }

  bool are_same(const stablehlo::Operation& found, const stablehlo::Operation& known, Values& values) const {
    const auto is_same_value = [&](stablehlo::Value one, stablehlo::Value other) {
      const auto number = values.found_to_known.find(one.id);
      if (number != values.found_to_known.end()) return number->second == other.id;
      const auto constant = values.found_constants.find(one.id),
                 wanted = values.known_constants.find(other.id);
      return constant != values.found_constants.end() && wanted != values.known_constants.end() &&
             is_same_constant(*constant->second, *wanted->second);
    };
    if (found.name != known.name || !std::ranges::equal(found.operands, known.operands, is_same_value) ||
        !are_same(found.operand_types, known.operand_types) ||
        !are_same(found.result_types, known.result_types))
      return false;
    if (found.name == "func.call" ? !calls_the_same(found, known) : found.attributes != known.attributes)
      return false;
    const auto is_same_region = [&](const stablehlo::Block& one, const stablehlo::Block& other) {
      return are_same(one, other, values);
    };
    return std::ranges::equal(found.regions, known.regions, is_same_region) &&
           define(found.results, known.results, values);
  }

  bool is_same_constant(const stablehlo::Operation& found, const stablehlo::Operation& known) const {
    if (!are_same(found.result_types, known.result_types)) return false;
    const std::optional<double> number = number_of_constant(found);
    return number ? number == number_of_constant(known) : found.attributes == known.attributes;
  }

  bool calls_the_same(const stablehlo::Operation& found, const stablehlo::Operation& known) const {
    const stablehlo::Function *one = source_.called(found), *other = reference().called(known);
    return one && other && are_same(*one, *other);
  }

  bool are_same(const std::vector<stablehlo::ValueType>& found,
                const std::vector<stablehlo::ValueType>& known) const {
    return std::ranges::equal(found, known, [this](const auto& one, const auto& other) {
      const auto* type = std::get_if<stablehlo::TensorType>(&one);
      const auto& wanted = std::get<stablehlo::TensorType>(other);
      return type && type->element == (wanted.element == "i32" ? counter_ : wanted.element) &&
             type->shape == (is_any(wanted.shape) ? shape_ : wanted.shape);
    });
  }

  static bool define(const std::vector<stablehlo::Value>& found, const std::vector<stablehlo::Value>& known,
                     Values& values) {
    if (found.size() != known.size()) return false;
    for (std::size_t i = 0; i < found.size(); ++i) values.found_to_known[found[i].id] = known[i].id;
    return true;
  }

  const SourceModule& source_;
  const std::vector<std::int64_t>& shape_;
  std::string_view counter_;
};

bool is_threefry(const SourceModule& source, const stablehlo::Function& function, const Shape& counters) {
  const stablehlo::Function& known = reference().module().functions[0];
  return std::ranges::any_of(std::array{"i32", "i64"}, [&](const char* counter) {  // i64: jax_enable_x64
    return Comparison(source, counters.sizes(), counter).are_same(function, known);
  });
}

/// The counters of a call: whether each is its element's number in row-major order.
class Counters {
 public:
  Counters(const OpReader& call, const Shape& shape) : reading_(call.reading()), shape_(shape) {
    const stablehlo::Operation *high = call.known(2).made_by, *low = call.known(3).made_by;
    if (!is(high, "stablehlo.convert") || !is(low, "stablehlo.convert")) return;
    const stablehlo::Operation* shift = maker(high->operands[0]);
    if (!is(shift, "stablehlo.shift_right_logical") || number(shift->operands[1]) != 32.0) return;
    if (!(shift->operands[0] == low->operands[0]) || !has_64_bits(low->operand_types[0])) return;
    strides_.assign(static_cast<std::size_t>(shape.rank()), 0);
    is_known_ = add(low->operands[0]);
  }

  bool are_row_major() const {
    std::int64_t stride = 1;
    for (int i = shape_.rank(); i-- > 0; stride *= shape_[i])
      if (!is_known_ || (shape_[i] > 1 && strides_[static_cast<std::size_t>(i)] != stride)) return false;
    return is_known_;
  }

 private:
  static bool is(const stablehlo::Operation* op, std::string_view name) { return op && op->name == name; }
  static bool has_64_bits(const stablehlo::ValueType& type) {
    return std::get<stablehlo::TensorType>(type).element == "ui64";
  }
  const stablehlo::Operation* maker(stablehlo::Value value) const { return reading_.value(value).made_by; }
  std::optional<double> number(stablehlo::Value value) const { return reading_.value(value).number; }

  /// Adds `times` a value that is made of iotas to the strides. False: it is made of something else.
  bool add(stablehlo::Value value, std::int64_t times = 1) {
    const stablehlo::Operation* op = maker(value);
    if (is(op, "stablehlo.add")) return add(op->operands[0], times) && add(op->operands[1], times);
    if (is(op, "stablehlo.multiply")) {
      const std::optional<double> factor = number(op->operands[0]);
      constexpr double most = 1 << 30;  // times another one it is no overflow
      return factor && *factor >= 0 && *factor <= most && times <= most &&
             add(op->operands[1], times * static_cast<std::int64_t>(*factor));
    }
    if (!is(op, "stablehlo.iota")) return false;
    const auto* dim = find_as<stablehlo::Integer>(op->attributes, "iota_dimension");
    if (!dim || dim->value < 0 || dim->value >= shape_.rank()) return false;
    strides_[static_cast<std::size_t>(dim->value)] += times;
    return true;
  }

  const Reading& reading_;
  const Shape& shape_;
  std::vector<std::int64_t> strides_;  // per dim of the counters
  bool is_known_ = false;
};

/// One draw of 64 bits for each counter.
Array drawn_one_by_one(const OpReader& call, const Array& key, const Shape& shape) {
  const Array half = constant(std::uint64_t{32});
  const Array start = logical_or(shift_left(convert(call.operand(2), DType::u64), half),
                                 convert(call.operand(3), DType::u64));
  const Shape keys = shape.inserted(Dim{shape.rank()}, 2);
  return random_bits(broadcast_in_dim(key, keys, {shape.rank()}), start, {DType::u64, {}, {}});
}

}  // namespace

std::optional<Arrays> threefry_words(const OpReader& call, const stablehlo::Function& function) {
  const bool may_be =
      call.operands().size() == 4 && call.operand(0).rank() == 0 && call.operand(3).rank() > 0;
  if (!may_be) return std::nullopt;
  const Shape shape = call.operand(3).shape();
  if (!is_threefry(call.reading().source(), function, shape)) return std::nullopt;
  return front_end(call.op().name, call.where(), [&] {
    const Array key = concatenate({reshape(call.operand(0), {1}), reshape(call.operand(1), {1})}, 0);
    const bool in_order = Counters(call, shape).are_row_major();
    const Array bits = in_order ? random_bits(key, std::nullopt, {DType::u64, shape, shape})
                                : drawn_one_by_one(call, key, shape);
    if (in_order)
      for (const stablehlo::Value result : call.op().results) call.reading().value(result).drawn_by = key;
    return Arrays{convert(shift_right_logical(bits, constant(std::uint64_t{32})), DType::u32),
                  convert(bits, DType::u32)};
  });
}

std::optional<Array> threefry_bits(const OpReader& exclusive_or) {
  const ReadValue &x = exclusive_or.known(0), &y = exclusive_or.known(1);
  const auto& operands = exclusive_or.op().operands;
  if (!x.drawn_by || !y.drawn_by || x.made_by != y.made_by || operands[0] == operands[1]) return std::nullopt;
  const Shape shape = exclusive_or.shape();
  return random_bits(*x.drawn_by, std::nullopt, {DType::u32, shape, shape});
}

}  // namespace tutti
