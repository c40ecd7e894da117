// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/random/random.hpp"

#include <cmath>

#include "tutti/base/require.hpp"
#include "tutti/functions/random/random_draw.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/bitcast_convert.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/random_bits.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/sort.hpp"
#include "tutti/ops/take_from_the_start.hpp"

namespace tutti {
namespace {

void require_integer_scalar(const Array& x, std::string_view what) {
  const Type type = x.type({});
  require(is_integer(type.dtype()), Code::dtype, "the {} is {}, not an integer", what, type);
  require(type.rank() == 0, Code::shape, "the {} is {}, not a scalar; use vmap for several", what, type);
}

std::uint64_t bits_of(const Number& seed) {
  if (const auto* large = std::get_if<std::uint64_t>(&seed)) return *large;
  const Tensor scalar = as_scalar(seed, DType::i64);
  return static_cast<std::uint64_t>(scalar.as<std::int64_t>()[0]);
}

std::uint64_t integer_of(const Array& scalar) {
  const Tensor value = scalar.finished()->whole();
  return with_element(value.dtype(), [&]<class T>(std::type_identity<T>) -> std::uint64_t {
    if constexpr (std::integral<T>) return static_cast<std::uint64_t>(value.as<T>()[0]);
    else return 0;
  });
}

Array words(std::uint32_t upper, std::uint32_t lower) { return Tensor(Shape{2}, {upper, lower}); }

/// Outside of a trace: keys that follow from a key, by the numbers first, first + 1, ..
std::vector<Key> keys_on_host(const Key& key, std::uint64_t first, int n) {
  const Tensor own = words_of(key).finished()->whole();
  std::vector<std::uint64_t> draws(static_cast<std::size_t>(n));
  random_bits_kernel(DType::u64)(reinterpret_cast<std::byte*>(draws.data()), own.as<std::uint32_t>().data(),
                                 first, n, {});
  std::vector<Key> keys;
  for (std::uint64_t draw : draws)
    keys.push_back({words(static_cast<std::uint32_t>(draw >> 32), static_cast<std::uint32_t>(draw))});
  return keys;
}

std::uint32_t folded_number(const Number& data) {
  return static_cast<std::uint32_t>(as_scalar(data, DType::u32).at(0));
}

/// The 64-bit draws of a key are pairs of words: the keys that follow from it. -> u32[.., 2]
Array keys_drawn(const Array& draws) {
  Array pairs = bitcast_convert(draws, DType::u32);  // the lower word first
  return rev(pairs, -1);
}

DType index_dtype(std::int64_t n) { return n <= most_numbered_by_i32 ? DType::i32 : DType::i64; }

}  // namespace

Key key(const Operand& seed) try {
  if (seed.number()) {
    std::uint64_t bits = bits_of(*seed.number());
    Tensor words(Shape{2}, {static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits)});
    return {Builder::current_or_null() ? constant(words, seed.where()) : Array(words)};
  }
  auto traced = [&] {
    Array x = *seed.array();
    require_integer_scalar(x, "seed");
    bool is_wide = bytes_per_element(x.dtype()) == 8;
    Array high = is_wide ? convert(shift_right_logical(x, 32), DType::u32) : zeros({}, DType::u32);
    Array low = convert(x, DType::u32);
    return Key{stack({high, low})};
  };
  return front_end_or_host("key", seed.where(), traced, [&] {
    require_integer_scalar(*seed.array(), "seed");
    const std::uint64_t bits = integer_of(*seed.array());
    bool is_wide = bytes_per_element(seed.array()->dtype()) == 8;
    return Key{words(is_wide ? static_cast<std::uint32_t>(bits >> 32) : 0, static_cast<std::uint32_t>(bits))};
  });
} catch (const Error& error) {
  throw error.at(seed.where(), "key");
}

std::vector<Key> split(const Key& key, int n, Where where) {
  auto require_number = [n] { require(n >= 0, Code::shape, "{} keys; a number of keys is 0 or more", n); };
  auto traced = [&] {
    require_number();
    Array pairs = keys_drawn(drawn(key, {n}, DType::u64, std::nullopt));
    std::vector<Key> keys;
    for (int i = 0; i < n; ++i) keys.push_back({index_in_dim(pairs, i)});
    return keys;
  };
  return front_end_or_host("split", where, traced, [&] {
    require_number();
    return keys_on_host(key, 0, n);
  });
}

Key fold_in(const Key& key, const Operand& data) {
  auto traced = [&] {
    Array words = words_of(key);
    if (data.number()) {
      Array start = constant(Tensor::scalar(std::uint64_t{folded_number(*data.number())}));
      return Key{keys_drawn(random_bits(words, start, {DType::u64, {}, {}}))};
    }
    require_integer_scalar(*data.array(), "data");
    Array start = convert(convert(*data.array(), DType::u32), DType::u64);
    return Key{keys_drawn(random_bits(words, start, {DType::u64, {}, {}}))};
  };
  return front_end_or_host("fold_in", data.where(), traced, [&] {
    if (data.array()) require_integer_scalar(*data.array(), "data");
    const std::uint32_t number =
        data.number() ? folded_number(*data.number()) : static_cast<std::uint32_t>(integer_of(*data.array()));
    return keys_on_host(key, number, 1)[0];
  });
}

Array bits(const Key& key, const Shape& shape, DType dtype, const DrawOptions& options, Where where) {
  return front_end("bits", where, [&] {
    require(is_unsigned(dtype), Code::dtype, "bits of {}; they are of u8, u16, u32 or u64", name(dtype));
    return drawn(key, shape, dtype, sharding_of(options.block, Type(dtype, shape)));
  });
}

Array uniform(const Key& key, const Shape& shape, DType dtype, const UniformOptions& options, Where where) {
  return front_end("uniform", where, [&] {
    auto sharding = sharding_of(options.block, Type(dtype, shape));
    return drawn_between(key, shape, dtype, options.low, options.high, sharding);
  });
}

Array bernoulli(const Key& key, const Operand& p, const Shape& shape, const DrawOptions& options,
                Where where) {
  return front_end("bernoulli", where, [&] {
    Array chance = p.array() ? *p.array() : constant(as_scalar(*p.number(), DType::f32));
    require(is_float(chance.dtype()), Code::dtype,
            "p is {}; a probability is a float: convert(p, DType::f32)", chance.type());
    auto sharding = sharding_of(options.block, Type(DType::boolean, shape));
    Array unit = drawn(key, shape, chance.dtype(), sharding);
    require(broadcast_shape(unit.shape(), chance.shape()) == unit.shape(), Code::shape,
            "p is {}, which does not broadcast to [{}]", chance.type(), unit.shape());
    return unit < chance;
  });
}

Array permutation(const Key& key, std::int64_t n, Where where) {
  return front_end("permutation", where, [&] {
    require(n >= 0, Code::shape, "{} elements; a size is at least 0", n);
    // After so many rounds no two elements had equal numbers in all of them, most likely.
    int rounds = static_cast<int>(
        std::ceil(3 * std::log(std::max<double>(1, static_cast<double>(n))) / std::log(4294967295.0)));
    Array order = iota({n}, index_dtype(n), 0);
    Key rest = key;
    for (int i = 0; i < rounds; ++i) {
      std::vector<Key> keys = split(rest);
      rest = keys[0];
      Array numbers = drawn(keys[1], {n}, DType::u32, std::nullopt);
      order = sort({numbers, order}, 0)[1];
    }
    return order;
  });
}

Array permutation(const Key& key, const Array& x, int dim, Where where) {
  return front_end("permutation", where, [&] {
    Dim along = as_dim(dim, x.type());
    Array order = permutation(key, x.shape()[along]);
    return x.shape()[along] == 0 ? x : take_from_the_start(x, order, along);
  });
}

Array choice(const Key& key, std::int64_t n, const Shape& shape, const ChoiceOptions& options, Where where) {
  return front_end("choice", where, [&] {
    shape.check();
    std::int64_t draws = shape.elements();
    if (draws == 0) return zeros(shape, index_dtype(n));
    require(n > 0, Code::shape, "{} elements of {}; there is nothing to choose from", draws, n);
    require(options.replace || draws <= n, Code::shape,
            "{} elements of {} without replacement; take at most {}, or leave out .replace = false", draws, n,
            n);
    if (options.replace) return randint(key, shape, 0, n, index_dtype(n));
    Array order = permutation(key, n);
    return reshape(slice_in_dim(order, 0, draws), shape);
  });
}

Array choice(const Key& key, const Array& x, const Shape& shape, const ChoiceOptions& options, Where where) {
  return front_end("choice", where, [&] {
    Dim along = as_dim(options.dim, x.type());
    Array chosen = choice(key, x.shape()[along], shape, options);
    if (shape.elements() > 0) return take_from_the_start(x, chosen, along);
    std::vector<std::int64_t> sizes = x.shape().sizes();
    sizes.erase(sizes.begin() + along.index);
    sizes.insert(sizes.begin() + along.index, shape.begin(), shape.end());
    return zeros(Shape(sizes), x.dtype());
  });
}

}  // namespace tutti
