// SPDX-License-Identifier: Apache-2.0
// Jacobians inside of shard_map: of values that are equal, that differ, that are terms of a sum, that are
// reduced.
#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"x", 4}});

/// The result of `body` for 8 numbers, 2 per device, and 2 that are equal: 0 to 7 and 10, 20.
Tensor on_devices(const std::function<Array(Array, Array)>& body, const P& out) {
  Array parts = Tensor({8}, std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7}),
        equal = Tensor({2}, std::vector<double>{10, 20});
  auto mapped = shard_map(body, {.mesh = mesh, .in = {P("x"), P()}, .out = out});
  return open_local(mesh, {.workers = 1}).compile(mapped, parts, equal)(parts, equal).tensor();
}
Tensor tensor(const Shape& shape, const std::vector<double>& values) { return {shape, values}; }

TEST(jacobian_on_devices, of_a_mean_over_devices_by_a_common_parameter_is_that_of_the_whole) {
  auto loss = [](const Array& part) {
    return [part](const Array& w) { return psum(reduce_sum(part * w * w * w), "x"); };
  };
  // sum over devices of even and of odd numbers: 12, 16.
  auto hess = [&](const Array& part, const Array& w) { return hessian(loss(part))(w); };
  EXPECT_EQ(on_devices(hess, P()), tensor({2, 2}, {6 * 12 * 10, 0, 0, 6 * 16 * 20}));
  auto product = [&](const Array& part, const Array& w) { return hvp(loss(part), w, ones_like(w)); };
  EXPECT_EQ(on_devices(product, P()), tensor({2}, {720, 1920}));
  auto vector = [](const Array& part) { return [part](const Array& w) { return psum(part * w, "x"); }; };
  auto columns = [&](const Array& part, const Array& w) { return jacfwd(vector(part))(w); };
  auto rows = [&](const Array& part, const Array& w) { return jacrev(vector(part))(w); };
  EXPECT_EQ(on_devices(columns, P()), tensor({2, 2}, {12, 0, 0, 16}));
  EXPECT_EQ(on_devices(rows, P()), tensor({2, 2}, {12, 0, 0, 16}));
}

TEST(jacobian_on_devices, of_what_each_device_computes_alone_is_its_own) {
  auto square = [](const Array& y) { return y * y; };
  const Tensor expected = tensor({8, 2}, {0, 0, 0, 2, 4, 0, 0, 6, 8, 0, 0, 10, 12, 0, 0, 14});
  EXPECT_EQ(on_devices([&](const Array& part, const Array&) { return jacfwd(square)(part); }, P("x")),
            expected);
  EXPECT_EQ(on_devices([&](const Array& part, const Array&) { return jacrev(square)(part); }, P("x")),
            expected);
}

// Column j: element j moves on all devices. Row i: the gradient of the sum over the devices.
TEST(jacobian_on_devices, of_a_varying_result_by_a_common_parameter_is_own_forwards_and_summed_backwards) {
  auto product = [](const Array& part) { return [part](const Array& w) { return part * w; }; };
  auto columns = [&](const Array& part, const Array& w) { return jacfwd(product(part))(w); };
  auto rows = [&](const Array& part, const Array& w) { return jacrev(product(part))(w); };
  EXPECT_EQ(on_devices(columns, P("x")), tensor({8, 2}, {0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7}));
  EXPECT_EQ(on_devices(rows, P()), tensor({2, 2}, {12, 0, 0, 16}));
}

TEST(jacobian_on_devices, of_a_sum_over_devices_moves_all_or_one) {
  auto total = [](const Array& y) { return psum(y * y, "x"); };
  // Forwards the elements of all devices move at once; backwards each device has the derivative by its own.
  EXPECT_EQ(on_devices([&](const Array& part, const Array&) { return jacfwd(total)(part); }, P()),
            tensor({2, 2}, {24, 0, 0, 32}));
  EXPECT_EQ(on_devices([&](const Array& part, const Array&) { return jacrev(total)(part); }, P("x")),
            tensor({8, 2}, {0, 0, 0, 2, 4, 0, 0, 6, 8, 0, 0, 10, 12, 0, 0, 14}));
}

// The value of terms is their sum: a column moves that sum by one.
TEST(jacobian_on_devices, by_terms_is_by_the_value_that_they_sum_to) {
  auto twice = [](const Array& terms) { return 2.0 * psum(terms, "x"); };
  auto columns = [&](const Array& part, const Array&) { return jacfwd(twice)(pcast(part, "x", unreduced)); };
  auto rows = [&](const Array& part, const Array&) {
    Array found = jacrev(twice)(pcast(part, "x", unreduced));
    EXPECT_EQ(to_string(found.type()), "f64[2,2]{R:x}");
    return pcast(found, "x", invariant);
  };
  EXPECT_EQ(on_devices(columns, P()), tensor({2, 2}, {2, 0, 0, 2}));
  EXPECT_EQ(on_devices(rows, P()), tensor({2, 2}, {2, 0, 0, 2}));
  auto of_terms = [&](const Array& part, const Array& w) {
    auto terms = [part](const Array& v) { return pcast(part * v, "x", unreduced); };
    Array found = jacfwd(terms)(w);
    EXPECT_EQ(to_string(found.type()), "f64[2,2]{U:x}");
    return psum(found, "x");
  };
  EXPECT_EQ(on_devices(of_terms, P()), tensor({2, 2}, {12, 0, 0, 16}));
}

TEST(jacobian_on_devices, by_a_reduced_parameter_is_terms_backwards) {
  auto rows = [](const Array& part, const Array& w) {
    Array found = jacrev([part](const Array& v) { return part * v; })(pcast(w, "x", reduced));
    EXPECT_EQ(to_string(found.type()), "f64[2,2]{U:x}");
    return psum(found, "x");
  };
  EXPECT_EQ(on_devices(rows, P()), tensor({2, 2}, {12, 0, 0, 16}));
  auto columns = [](const Array& part, const Array& w) {
    return jacfwd([part](const Array& v) { return part * v; })(pcast(w, "x", reduced));
  };
  EXPECT_EQ(on_devices(columns, P("x")), tensor({8, 2}, {0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7}));
}

TEST(jacobian_on_devices, is_the_same_outside_of_shard_map) {
  Array parts = Tensor({8}, std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7}),
        w = Tensor({2}, std::vector<double>{10, 20});
  auto body = [](const Array& part, const Array& v) { return psum(part * v * v, "x"); };
  auto mapped = shard_map(body, {.mesh = mesh, .in = {P("x"), P()}, .out = P()});
  Machine machine = open_local(mesh, {.workers = 1});
  auto value = [&](auto f) { return machine.compile(f, parts, w)(parts, w).tensor(); };
  EXPECT_EQ(value(jacfwd<1>(mapped)), tensor({2, 2}, {240, 0, 0, 640}));
  EXPECT_EQ(value(jacrev<1>(mapped)), tensor({2, 2}, {240, 0, 0, 640}));
  const std::vector<double> by_part{100, 0, 100, 0, 100, 0, 100, 0, 0, 400, 0, 400, 0, 400, 0, 400};
  EXPECT_EQ(value(jacfwd(mapped)), tensor({2, 8}, by_part));
  EXPECT_EQ(value(jacrev(mapped)), tensor({2, 8}, by_part));
}

}  // namespace
}  // namespace tutti
