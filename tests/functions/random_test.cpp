// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/random/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Draw = std::function<Array(const Key&)>;

/// The result of `draw` for a key, compiled for the mesh.
Array drawn_on(const Mesh& mesh, const Draw& draw, const Key& from = key(42)) {
  Machine machine = open_local(mesh);
  auto compiled = machine.compile([&](const Key& k) { return draw(k); }, from);
  return compiled(from);
}
Array drawn(const Draw& draw, const Key& from = key(42)) { return drawn_on(Mesh(), draw, from); }

/// `draw` in a shard_map: its result varies as `spec` says.
Draw on_devices(const Mesh& mesh, const Draw& draw, const P& spec) {
  return [=](const Key& k) { return shard_map(draw, {.mesh = mesh, .in = P(), .out = spec})(k); };
}

std::vector<std::uint32_t> words(const Key& key) { return key.data.values<std::uint32_t>(); }
using Words = std::vector<std::uint32_t>;

std::string refused(const Draw& draw) {
  return refusal_of(
      [&] { trace({Type(DType::u32, {2})}, [&](const Arrays& x) { return Arrays{draw({x[0]})}; }); });
}

// The numbers are JAX's.

TEST(key, has_the_upper_and_the_lower_word_of_the_seed) {
  EXPECT_EQ(words(key(0)), (Words{0, 0}));
  EXPECT_EQ(words(key(42)), (Words{0, 42}));
  EXPECT_EQ(words(key(-1)), (Words{4294967295, 4294967295}));
  EXPECT_EQ(words(key((std::int64_t{1} << 40) + 3)), (Words{256, 3}));
  EXPECT_EQ(words(key(~std::uint64_t{0} - 1)), (Words{4294967295, 4294967294}));
  EXPECT_EQ(words(key(std::uint8_t{200})), (Words{0, 200}));
}

TEST(key, of_an_array_has_the_words_of_its_dtype) {
  auto words_of_seed = [](const Tensor& seed) {
    auto make = open_local(Mesh()).compile([](const Array& x) { return key(x).data; }, Array(seed));
    return make(Array(seed)).values<std::uint32_t>();
  };
  EXPECT_EQ(words_of_seed(Tensor::scalar(std::int64_t{-1} << 40)), (Words{4294967040, 0}));
  EXPECT_EQ(words_of_seed(Tensor::scalar(~std::uint64_t{0})), (Words{4294967295, 4294967295}));
  EXPECT_EQ(words_of_seed(Tensor::scalar(std::int32_t{-5})), (Words{0, 4294967291}));
  EXPECT_EQ(words_of_seed(Tensor::scalar(std::uint8_t{200})), (Words{0, 200}));
}

TEST(key, is_a_constant_inside_a_program) {
  EXPECT_EQ(program_text({}, [](const Arrays&) { return key(7).data; }),
            "program() {\n"
            "  %0: u32[2] = constant{value=[0, 7]}\n"
            "  return %0\n}\n");
}

TEST(key, is_a_tree_that_programs_take_and_return) {
  struct State {
    Key key;
    Array sum;
  };
  Machine machine = open_local(Mesh());
  State start{key(42), Tensor::scalar(0.0F)};
  auto step = machine.compile(
      [](const State& state) {
        auto [next, now] = split<2>(state.key);
        Array number = uniform(now, {}, DType::f32);
        return State{next, state.sum + number};
      },
      start);
  State after = step(step(start));
  Array alone = drawn([](const Key& k) {
    auto [next, now] = split<2>(k);
    auto [last, then] = split<2>(next);
    Array first = uniform(now, {}, DType::f32);
    return first + uniform(then, {}, DType::f32);
  });
  EXPECT_EQ(after.sum.item(), alone.item());
}

TEST(key, rejects_what_is_no_integer) {
  EXPECT_EQ(
      refusal_of([] { key(0.5); }),
      "T008: key: the number 0.5 does not fit i64; write a whole number without a point, or convert to a "
      "float dtype");
  EXPECT_EQ(refusal_of([] {
              trace({Type(DType::f32, {})}, [](const Arrays& x) { return Arrays{key(x[0]).data}; });
            }),
            "T007: key: the seed is f32[], not an integer");
  EXPECT_EQ(refusal_of([] {
              trace({Type(DType::i32, {3})}, [](const Arrays& x) { return Arrays{key(x[0]).data}; });
            }),
            "T005: key: the seed is i32[3], not a scalar; use vmap for several");
}

TEST(split, makes_the_keys_of_jax) {
  Array three = drawn([](const Key& k) {
    Arrays data;
    for (const Key& each : split(k, 3)) data.push_back(each.data);
    return stack(data);
  });
  EXPECT_EQ(three.values<std::uint32_t>(),
            (Words{1832780943, 270669613, 64467757, 2916123636, 2465931498, 255383827}));
  Array two = drawn([](const Key& k) {
    auto [a, b] = split<2>(k);
    return stack({a.data, b.data});
  });
  EXPECT_EQ(two.values<std::uint32_t>(), (Words{1832780943, 270669613, 64467757, 2916123636}));
}

TEST(split, takes_no_negative_number) {
  EXPECT_EQ(refused([](const Key& k) { return split(k, -1)[0].data; }),
            "T005: split: -1 keys; a number of keys is 0 or more");
}

TEST(fold_in, makes_the_keys_of_jax) {
  auto folded = [](const Operand& data) {
    return drawn([&](const Key& k) { return fold_in(k, data).data; }).values<std::uint32_t>();
  };
  EXPECT_EQ(folded(7), (Words{2547012911, 1371500959}));
  EXPECT_EQ(folded(4294967295), (Words{2398536845, 3890976714}));
  EXPECT_EQ(folded(Array(Tensor::scalar(std::int32_t{-1}))), (Words{2398536845, 3890976714}));
  EXPECT_EQ(folded(Array(Tensor::scalar((std::int64_t{3} << 32) + 7))), (Words{2547012911, 1371500959}));
}

TEST(fold_in, rejects_what_is_no_word) {
  EXPECT_NE(refused([](const Key& k) {
              return fold_in(k, -1).data;
            }).find("T008: fold_in: the number -1 does not fit u32"),
            std::string::npos);
  EXPECT_EQ(refused([](const Key& k) { return fold_in(k, arange(3, DType::i32)).data; }),
            "T005: fold_in: the data is i32[3], not a scalar; use vmap for several");
}

TEST(bits, are_those_of_jax) {
  EXPECT_EQ(drawn([](const Key& k) { return bits(k, {2, 2}, DType::u32); }).values<std::uint32_t>(),
            (Words{2098992034, 2919706841, 2646866425, 2409546199}));
  EXPECT_EQ(refused([](const Key& k) { return bits(k, {2}, DType::i32); }),
            "T007: bits: bits of i32; they are of u8, u16, u32 or u64");
}

TEST(uniform, has_the_numbers_of_jax_in_any_range) {
  EXPECT_EQ(drawn([](const Key& k) {
              return uniform(k, {3}, DType::f32, {.low = -3.3, .high = 5.7});
            }).values<float>(),
            (std::vector<float>{1.0983861684799194F, 2.8181746006011963F, 2.246443510055542F}));
  EXPECT_EQ(drawn([](const Key& k) { return uniform(k, {1}, DType::f64); }).values<double>(),
            (std::vector<double>{0.4267275666499091}));
  EXPECT_EQ(refused([](const Key& k) { return uniform(k, {2}, DType::i32); }),
            "T007: uniform: a draw of i32; it is of floats: f16, bf16, f32, f64");
}

TEST(uniform, takes_bounds_that_are_arrays) {
  std::vector<float> found = drawn([](const Key& k) {
                               Array low = constant(Tensor(Shape{3}, std::vector<float>{0, 10, -4}));
                               return uniform(k, {3}, DType::f32, {.low = low, .high = 12.0});
                             }).values<float>();
  EXPECT_FLOAT_EQ(found[0], 12 * 0.48870957F);
  EXPECT_FLOAT_EQ(found[1], 10 + 2 * 0.67979717F);
  EXPECT_FLOAT_EQ(found[2], -4 + 16 * 0.6162715F);
}

TEST(uniform, of_an_empty_range_is_its_lower_bound) {
  EXPECT_EQ(drawn([](const Key& k) {
              return uniform(k, {2}, DType::f32, {.low = 3.0, .high = 1.0});
            }).values<float>(),
            (std::vector<float>{3, 3}));
}

TEST(randint, has_the_numbers_of_jax) {
  auto found = [](DType dtype, std::int64_t low, std::int64_t high) {
    Tensor numbers = drawn([=](const Key& k) { return randint(k, {4}, low, high, dtype); }).tensor();
    return std::vector<double>{numbers.at(0), numbers.at(1), numbers.at(2), numbers.at(3)};
  };
  using V = std::vector<double>;
  EXPECT_EQ(found(DType::i8, 3, 100), (V{38, 79, 89, 54}));
  EXPECT_EQ(found(DType::u8, 3, 100), (V{38, 79, 89, 54}));
  EXPECT_EQ(found(DType::i32, 3, 100), (V{38, 79, 89, 54}));
  EXPECT_EQ(found(DType::i64, 3, 100), (V{34, 78, 93, 73}));
  EXPECT_EQ(found(DType::u64, 3, 100), (V{34, 78, 93, 73}));
  EXPECT_EQ(found(DType::u8, 0, 256), (V{196, 18, 183, 193}));
  EXPECT_EQ(found(DType::i32, 5, 5), (V{5, 5, 5, 5}));
  EXPECT_EQ(found(DType::i32, 5, 1), (V{5, 5, 5, 5}));
}

TEST(randint, reaches_all_integers_of_a_dtype) {
  EXPECT_EQ(drawn([](const Key& k) {
              return randint(k, {3}, -2147483648LL, 2147483648LL, DType::i32);
            }).values<std::int32_t>(),
            (std::vector<std::int32_t>{977810628, 1236381714, -1367112521}));
}

TEST(randint, takes_bounds_beyond_i64) {
  EXPECT_EQ(drawn([](const Key& k) {
              return randint(k, {2}, 0, ~std::uint64_t{0}, DType::u64);
            }).values<std::uint64_t>(),
            (std::vector<std::uint64_t>{13689679464050701877ULL, 10093242604979476158ULL}));  // as JAX
}

TEST(randint, rejects_bounds_that_are_no_integers_or_do_not_fit) {
  EXPECT_EQ(refused([](const Key& k) { return randint(k, {3}, 0, 9, DType::f32); }),
            "T007: randint: a draw of f32; it is of integers: convert what is drawn");
  EXPECT_EQ(refused([](const Key& k) { return randint(k, {3}, 0, full({}, 9.0, DType::f32), DType::i32); }),
            "T007: randint: high is f32[], not an integer");
  EXPECT_EQ(refused([](const Key& k) { return randint(k, {3}, arange(2, DType::i32), 9, DType::i32); }),
            "T005: randint: shapes [3] and [2] do not broadcast: 3 and 2 in dim 1 from the end; sizes must "
            "be equal, "
            "or 1");
  EXPECT_EQ(refused([](const Key& k) { return randint(k, {1}, arange(2, DType::i32), 9, DType::i32); }),
            "T005: randint: low is i32[2], which does not broadcast to [1]");
}

TEST(bernoulli, draws_in_the_dtype_of_the_probability) {
  auto found = [](const std::function<Operand()>& p) {
    return drawn([&](const Key& k) { return bernoulli(k, p(), {8}); }).values<bool>();
  };
  using B = std::vector<bool>;
  EXPECT_EQ(found([] { return Operand(full({}, 0.5, DType::f64)); }),
            (B{true, true, false, false, false, false, false, false}));
  EXPECT_EQ(found([] { return Operand(full({}, 0.5, DType::f32)); }),
            (B{true, false, false, false, true, false, true, false}));
  EXPECT_EQ(found([] { return Operand(0.5); }), (B{true, false, false, false, true, false, true, false}));
  EXPECT_EQ(refused([](const Key& k) { return bernoulli(k, arange(3, DType::i32), {3}); }),
            "T007: bernoulli: p is i32[3]; a probability is a float: convert(p, DType::f32)");
  EXPECT_EQ(refused([](const Key& k) { return bernoulli(k, full({2, 3}, 0.5, DType::f32), {3}); }),
            "T005: bernoulli: p is f32[2,3], which does not broadcast to [3]");
}

TEST(permutation, is_that_of_jax) {
  using I = std::vector<std::int32_t>;
  EXPECT_EQ(drawn([](const Key& k) { return permutation(k, 10); }).values<std::int32_t>(),
            (I{7, 4, 2, 5, 3, 6, 8, 9, 0, 1}));
  EXPECT_EQ(drawn([](const Key& k) {
              return permutation(k, arange(10, DType::i32) * 2);
            }).values<std::int32_t>(),
            (I{14, 8, 4, 10, 6, 12, 16, 18, 0, 2}));
  EXPECT_EQ(drawn([](const Key& k) { return permutation(k, 1); }).values<std::int32_t>(), I{0});
  EXPECT_EQ(drawn([](const Key& k) { return permutation(k, 0); }).values<std::int32_t>(), I{});
  EXPECT_EQ(drawn([](const Key& k) { return permutation(k, zeros({2, 0}, DType::f32), -1); }).shape(),
            (Shape{2, 0}));
  EXPECT_EQ(refused([](const Key& k) { return permutation(k, -3); }),
            "T005: permutation: -3 elements; a size is at least 0");
}

TEST(permutation, moves_slices_along_a_dim_as_wholes) {
  Array moved = drawn([](const Key& k) { return permutation(k, iota({2, 10}, DType::i32, 1), -1); });
  EXPECT_EQ(moved.values<std::int32_t>(),
            (std::vector<std::int32_t>{7, 4, 2, 5, 3, 6, 8, 9, 0, 1, 7, 4, 2, 5, 3, 6, 8, 9, 0, 1}));
}

TEST(choice, has_the_elements_of_jax) {
  using I = std::vector<std::int32_t>;
  EXPECT_EQ(drawn([](const Key& k) { return choice(k, 10, {6}); }).values<std::int32_t>(),
            (I{4, 4, 1, 9, 9, 9}));
  EXPECT_EQ(drawn([](const Key& k) { return choice(k, 10, {6}, {.replace = false}); }).values<std::int32_t>(),
            (I{7, 4, 2, 5, 3, 6}));
  Array of_columns =
      drawn([](const Key& k) { return choice(k, reshape(arange(12, DType::f64), {3, 4}), {2}, {.dim = 1}); });
  EXPECT_EQ(of_columns.shape(), (Shape{3, 2}));
  EXPECT_EQ(of_columns.values<double>(), (std::vector<double>{0, 2, 4, 6, 8, 10}));
}

TEST(choice, of_no_elements_is_empty_and_of_too_many_refused) {
  EXPECT_EQ(drawn([](const Key& k) { return choice(k, 0, {0, 2}); }).shape(), (Shape{0, 2}));
  EXPECT_EQ(drawn([](const Key& k) {
              return choice(k, zeros({3, 4}, DType::f32), {0, 2}, {.dim = -1});
            }).shape(),
            (Shape{3, 0, 2}));
  EXPECT_EQ(refused([](const Key& k) { return choice(k, 0, {2}); }),
            "T005: choice: 2 elements of 0; there is nothing to choose from");
  EXPECT_EQ(
      refused([](const Key& k) { return choice(k, 3, {4}, {.replace = false}); }),
      "T005: choice: 4 elements of 3 without replacement; take at most 3, or leave out .replace = false");
}

// Blocks.

TEST(a_draw, is_the_same_on_every_mesh) {
  Draw draw = [](const Key& k) { return bits(k, {8, 6}, DType::u32); };
  std::vector<std::uint32_t> once = drawn(draw).values<std::uint32_t>();
  EXPECT_EQ(drawn_on(Mesh({{"x", 2}}), draw).values<std::uint32_t>(), once);
  EXPECT_EQ(drawn_on(Mesh({{"x", 2}, {"y", 2}}), draw).values<std::uint32_t>(), once);
}

TEST(a_draw, is_equal_on_the_devices_of_a_shard_map) {
  Mesh mesh({{"x", 4}});
  EXPECT_EQ(drawn_on(mesh, on_devices(
                               mesh, [](const Key& k) { return bits(k, {3}, DType::u32); }, P()))
                .values<std::uint32_t>(),
            drawn([](const Key& k) { return bits(k, {3}, DType::u32); }).values<std::uint32_t>());
}

TEST(a_block, is_a_part_of_the_whole_draw) {
  Draw whole = [](const Key& k) { return bits(k, {8, 12}, DType::u32); };
  std::vector<std::uint32_t> once = drawn(whole).values<std::uint32_t>();
  Mesh two({{"x", 2}}), four({{"x", 4}}), square({{"x", 2}, {"y", 2}});
  std::vector<std::pair<Mesh, P>> cases{{two, P("x")},          {four, P("x")},
                                        {four, P(none, "x")},   {square, P("x", "y")},
                                        {square, P("y", "x")},  {square, P(none, SpecEntry{"y", "x"})},
                                        {square, P(none, "y")}, {square, P()}};
  for (const auto& [mesh, spec] : cases) {
    Draw block = [spec = spec](const Key& k) { return bits(k, {8, 12}, DType::u32, {.block = spec}); };
    EXPECT_EQ(drawn_on(mesh, on_devices(mesh, block, spec)).values<std::uint32_t>(), once);
  }
}

TEST(a_block, of_every_function_is_a_part_of_the_whole_draw) {
  Mesh mesh({{"x", 2}, {"y", 2}});
  P spec("y", "x");
  auto expect_parts = [&](const std::function<Array(const Key&, const std::optional<P>&)>& draw) {
    Draw whole = [&](const Key& k) { return draw(k, std::nullopt); };
    Draw block = [&](const Key& k) { return draw(k, spec); };
    EXPECT_EQ(drawn_on(mesh, on_devices(mesh, block, spec)).tensor(), drawn(whole).tensor());
  };
  const Shape shape{4, 6};
  expect_parts(
      [&](const Key& k, const auto& b) { return uniform(k, shape, DType::f64, {.low = 1.0, .block = b}); });
  expect_parts([&](const Key& k, const auto& b) { return randint(k, shape, 0, 1000, DType::i64, {b}); });
  expect_parts([&](const Key& k, const auto& b) { return bernoulli(k, 0.3, shape, {b}); });
  expect_parts([&](const Key& k, const auto& b) { return normal(k, shape, DType::f32, {b}); });
  expect_parts([&](const Key& k, const auto& b) { return normal(k, shape, DType::complex64, {b}); });
  expect_parts([&](const Key& k, const auto& b) { return gumbel(k, shape, DType::f32, {b}); });
  expect_parts([&](const Key& k, const auto& b) { return exponential(k, shape, DType::f32, {b}); });
  expect_parts(
      [&](const Key& k, const auto& b) { return truncated_normal(k, -1.0, 2.0, shape, DType::f32, {b}); });
}

TEST(a_block, begins_beyond_2_to_the_32_where_the_whole_is_that_large) {
  const std::int64_t columns = std::int64_t{1} << 33;
  std::string text = program_text({Type(DType::u32, {2})}, [&](const Arrays& x) {
    auto largest = [&](const Array& k) {
      return pmax(reduce_max(bits({k}, {2, columns}, DType::u32, {.block = P("x")})), "x");
    };
    return shard_map(largest, {.mesh = Mesh({{"x", 2}}), .in = P(), .out = P()})(x[0]);
  });
  EXPECT_NE(text.find("u64[] = constant{value=8589934592}"), std::string::npos) << text;
  EXPECT_NE(text.find("random_bits{block=[1, 8589934592], whole=[2, 8589934592]}"), std::string::npos)
      << text;
}

TEST(a_block, varies_over_its_axes_and_those_of_the_key) {
  Mesh mesh({{"x", 2}, {"y", 2}});
  std::string text = program_text({Type(DType::u32, {2})}, [&](const Arrays& x) {
    return shard_map(
        [](const Array& data) {
          Key own = fold_in({data}, axis_index("y"));
          return uniform(own, {4}, DType::f32, {.block = P("x")});
        },
        {.mesh = mesh, .in = P(), .out = P(SpecEntry{"y", "x"})})(x[0]);
  });
  EXPECT_NE(text.find("f32[2]{V:x, V:y} = random_bits{block=[2], whole=[4]}"), std::string::npos) << text;
}

TEST(a_block, is_refused_where_its_axes_are_not_bound) {
  EXPECT_EQ(
      refused([](const Key& k) { return bits(k, {4}, DType::u32, {.block = P("x")}); }),
      "T001: bits: .block names axes of a mesh, but no mesh is bound here; use it inside shard_map, or leave "
      "it out: a draw outside of shard_map is whole");
  Mesh mesh({{"x", 2}});
  auto in_map = [&](const Shape& shape, const P& block) {
    return refused(
        on_devices(mesh, [=](const Key& k) { return bits(k, shape, DType::u32, {.block = block}); }, P()));
  };
  EXPECT_EQ(
      in_map({5}, P("x")),
      "T005: bits: dim 0 of u32[5] does not split over the 2 devices of 'x'; pad it or use another dim");
  EXPECT_EQ(in_map({4}, P("x").unreduced({"x"})).substr(0, 4), "T013");
  EXPECT_EQ(in_map({4}, P(none, "x")).substr(0, 4), "T013");
  EXPECT_EQ(in_map({4}, P().reduced({"x"})),
            "T013: bits: P()+R(x) as .block: a draw is no sum; name axes for its dims only");
  EXPECT_EQ(in_map({4}, P("z")).substr(0, 4), "T001");
}

TEST(a_draw, of_another_key_is_refused) {
  auto with = [](const Type& type) {
    return refusal_of(
        [&] { trace({type}, [](const Arrays& x) { return Arrays{bits({x[0]}, {2}, DType::u32)}; }); });
  };
  EXPECT_EQ(
      with(Type(DType::u32, {3, 2})),
      "T005: bits: the key is u32[3,2], not u32[2]; of several keys draw in a vmap, which maps over them");
  EXPECT_EQ(with(Type(DType::i32, {2})), "T007: bits: the key is i32[2], not u32[2]; make it by key(seed)");
}

TEST(keys, draw_in_lanes_what_each_draws_alone) {
  Array both = drawn([](const Key& k) {
    std::vector<Key> keys = split(k, 2);
    Array data = stack({keys[0].data, keys[1].data});
    return vmap([](const Array& one) { return bits({one}, {3}, DType::u32); })(data);
  });
  Array alone = drawn([](const Key& k) {
    std::vector<Key> keys = split(k, 2);
    Array a = bits(keys[0], {3}, DType::u32), b = bits(keys[1], {3}, DType::u32);
    return stack({a, b});
  });
  EXPECT_EQ(both.tensor(), alone.tensor());
}

}  // namespace
}  // namespace tutti
