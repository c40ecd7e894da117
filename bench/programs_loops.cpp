// SPDX-License-Identifier: Apache-2.0
// Loops that update a few places of a large carry; bench/rows.hpp says how they are asked for,
// bench/programs_peer.py has some of them in JAX.
#include <cstring>

#include "bench/rows.hpp"

namespace tutti::bench {
namespace {

enum class Update { set, add };
enum class Carry { donated, kept };

/// In trip i, row i of the carry of every device is replaced by, or gets added, `row` + i.
struct Updates {
  Update update;
  Carry carry;
  std::int64_t trips, devices, rows, columns;  // of one device
};

Array updated(Update update, const Array& carry, const Array& row, const Array& i) {
  const Array rows = reshape(row + convert(i, DType::f32), {1, row.dim(0)});
  if (update == Update::set) return dynamic_update_slice(carry, rows, {i, 0});
  const GatherDims row_at_index{.offset_dims = {Dim{1}},
                                .collapsed_slice_dims = {Dim{0}},
                                .start_index_map = {Dim{0}},
                                .index_vector_dim = Dim{1}};
  return scatter_add(carry, reshape(i, {1}), rows, row_at_index);
}

void check_updated(const Updates& u, const std::vector<float>& found) {
  for (std::int64_t i = 0; i < std::ssize(found); ++i) {
    const std::int64_t row = i / u.columns % u.rows;
    const float before = value_of(i), change = value_of(i % u.columns) + static_cast<float>(row);
    const float after = u.update == Update::set ? change : before + change;
    check(found[static_cast<std::size_t>(i)] == (row < u.trips ? after : before),
          "element " + std::to_string(i) + " of an updated carry");
  }
}

Measure prepare_updates(const Updates& u) {
  const Mesh mesh({{"x", static_cast<int>(u.devices)}});
  Machine machine = open_local(mesh, {.workers = 2});
  auto body = [u](const Array& start, const Array& row) {
    auto trip = [&](const Array& i, const Array& carry) { return updated(u.update, carry, row, i); };
    return fori_loop(0, u.trips, trip, start);
  };
  Array carry = machine.place(Array(values({u.devices * u.rows, u.columns})), P("x"));
  Array row = machine.place(Array(values({u.columns})), P());
  auto loop =
      machine.compile(shard_map(body, {.mesh = mesh, .in = {P("x"), P()}, .out = P("x")}), carry, row);
  Array after = loop(carry, row);
  check_updated(u, after.values<float>());
  if (u.carry == Carry::kept)
    return [loop, carry, row] { return Json{{"us", microseconds_a_call([&] { loop(carry, row); })}}; };
  return [loop, after, row]() mutable {
    return Json{{"us", microseconds_a_call([&] { after = loop(std::move(after), row); })}};
  };
}

constexpr std::int64_t narrow = 256, some_trips = 256, wide = 2048, wide_rows = 512, many_trips = 512;

template <Update update, Carry carry>
Measure on_one(std::int64_t rows) {
  return prepare_updates({update, carry, some_trips, 1, rows, narrow});
}
template <Update update>
Measure on_devices(std::int64_t devices) {
  return prepare_updates({update, Carry::donated, many_trips, devices, wide_rows, wide});
}

/// A memcpy of a carry with so many rows.
Measure prepare_copy(std::int64_t rows) {
  auto from = std::make_shared<Tensor>(values({rows, narrow})), to = std::make_shared<Tensor>(*from);
  return [from, to, target = to->mutable_bytes()] {
    return Json{{"us", microseconds_a_call([&] { std::memcpy(target, from->data(), from->bytes()); })}};
  };
}

// Attention over a cache, a token per trip.
constexpr std::int64_t batch = 8, heads = 4, head_size = 64, width = heads * head_size;
constexpr float weight_scale = 0.1F;  // about sqrt(3 / width): outputs are as large as inputs

struct Token {
  Array x, keys, values;
};

struct Weights {
  Array query, key, value, output;
};

Token next_token(const Array& t, const Token& token, const Weights& weights) {
  const Shape by_head{batch, heads, head_size}, at_one_place{batch, heads, 1, head_size};
  const Array query = reshape(matmul(token.x, weights.query), by_head);
  const Array key = reshape(matmul(token.x, weights.key), at_one_place);
  const Array value = reshape(matmul(token.x, weights.value), at_one_place);
  const Array keys = dynamic_update_slice(token.keys, key, {0, 0, t, 0});
  const Array all_values = dynamic_update_slice(token.values, value, {0, 0, t, 0});
  const Array likeness =
      dot_general(query, keys,
                  {.lhs_batch = {0, 1}, .rhs_batch = {0, 1}, .lhs_contract = {2}, .rhs_contract = {3}});
  const Array is_past = iota(likeness.shape(), DType::i32, 2) <= t;
  const Array weight = softmax(where(is_past, likeness * 0.125F, -1e9F));
  const Array mixed =
      dot_general(weight, all_values,
                  {.lhs_batch = {0, 1}, .rhs_batch = {0, 1}, .lhs_contract = {2}, .rhs_contract = {2}});
  const Array seen = matmul(reshape(mixed, {batch, width}), weights.output);
  return {token.x * 0.5F + seen * 0.5F, keys, all_values};
}

using Numbers = std::vector<double>;

Numbers matrix(std::int64_t salt) {
  Numbers numbers(width * width);
  for (std::int64_t i = 0; i < width * width; ++i)
    numbers[static_cast<std::size_t>(i)] = weight_scale * value_of(i + salt);
  return numbers;
}

/// x [width] times a matrix.
Numbers times(const Numbers& x, const Numbers& weights) {
  Numbers y(width, 0.0);
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j < width; ++j) y[j] += x[i] * weights[i * width + j];
  return y;
}

/// The last x of one row of the batch, in doubles.
Numbers decoded(Numbers x, std::int64_t tokens) {
  const Numbers to_query = matrix(0), to_key = matrix(1), to_value = matrix(2), to_output = matrix(3);
  std::vector<Numbers> keys, all_values;
  for (std::int64_t t = 0; t < tokens; ++t) {
    const Numbers query = times(x, to_query);
    keys.push_back(times(x, to_key));
    all_values.push_back(times(x, to_value));
    Numbers mixed(width, 0.0);
    for (std::size_t first = 0; first < width; first += head_size) {
      double total = 0;
      Numbers sums(head_size, 0.0);
      for (std::size_t s = 0; s < keys.size(); ++s) {
        double likeness = 0;
        for (std::size_t i = first; i < first + head_size; ++i) likeness += query[i] * keys[s][i];
        const double weight = std::exp(likeness * 0.125);
        total += weight;
        for (std::size_t i = 0; i < head_size; ++i) sums[i] += weight * all_values[s][first + i];
      }
      for (std::size_t i = 0; i < head_size; ++i) mixed[first + i] = sums[i] / total;
    }
    const Numbers seen = times(mixed, to_output);
    for (std::size_t i = 0; i < width; ++i) x[i] = (x[i] + seen[i]) / 2;
  }
  return x;
}

void check_decoded(const std::vector<float>& found, std::int64_t tokens) {
  for (const std::int64_t row : {std::int64_t{0}, batch - 1}) {
    Numbers x(width);
    for (std::int64_t i = 0; i < width; ++i) x[static_cast<std::size_t>(i)] = value_of(row * width + i);
    const Numbers expected = decoded(x, tokens);
    double largest = 0;
    for (double e : expected) largest = std::max(largest, std::abs(e));
    check(largest > 0, "decoding dies out");
    for (std::size_t i = 0; i < width; ++i)
      check_close(found[static_cast<std::size_t>(row) * width + i], expected[i], 1e-3, largest, "decoding");
  }
}

Measure prepare_decoding(std::int64_t tokens) {
  const Mesh mesh = one_device();
  Machine machine = open_local(mesh, {.workers = 2});
  auto body = [tokens](const Array& x, const Weights& weights) {
    const Array no_cache = zeros({batch, heads, tokens, head_size}, DType::f32);
    auto trip = [&](const Array& t, const Token& token) { return next_token(t, token, weights); };
    return fori_loop(0, tokens, trip, Token{x, no_cache, no_cache}).x;
  };
  auto weights_of = [](std::int64_t salt) {
    Tensor weights({width, width}, DType::f32);
    std::ranges::transform(matrix(salt), weights.mutable_data<float>(),
                           [](double w) { return static_cast<float>(w); });
    return Array(weights);
  };
  Array x = machine.place(Array(values({batch, width})), P());
  Weights weights = machine.place(Weights{weights_of(0), weights_of(1), weights_of(2), weights_of(3)}, P());
  auto decode = machine.compile(shard_map(body, {.mesh = mesh, .in = P(), .out = P()}), x, weights);
  const std::vector<float> last = decode(x, weights).values<float>();
  check_decoded(last, tokens);
  return [decode, x, weights, value = mean_size(last)] {
    return Json{{"us", microseconds_a_call([&] { decode(x, weights); })}, {"value", value}};
  };
}

constexpr Row rows[] = {
    {"update_rows", on_one<Update::set, Carry::donated>},
    {"update_rows_kept", on_one<Update::set, Carry::kept>},
    {"add_rows", on_one<Update::add, Carry::donated>},
    {"add_rows_kept", on_one<Update::add, Carry::kept>},
    {"update_on_devices", on_devices<Update::set>},
    {"add_on_devices", on_devices<Update::add>},
    {"copy_rows", prepare_copy},
    {"decode", prepare_decoding},
};

}  // namespace
}  // namespace tutti::bench

int main() { return tutti::bench::answer(tutti::bench::rows); }
