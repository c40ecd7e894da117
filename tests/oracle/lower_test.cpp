// SPDX-License-Identifier: Apache-2.0
// The texts of the emitter, read by the real parser and run by XLA.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/oracle.hpp"
#include "tests/support/scripted_op.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
namespace {

class lower : public OracleTest {};

/// The results of the program on every device: [result][device]. Fails the test if an oracle refuses it.
std::vector<Tensors> run(const Program& program, const Mesh& mesh, const std::vector<Tensors>& inputs) {
  std::string text = write(lower_per_device(program, mesh));
  Verdict verdict = Oracle::shared().run(text, mesh.devices(), inputs);
  EXPECT_EQ(verdict.errors, std::vector<std::string>{}) << text;
  EXPECT_EQ(verdict.failure, "") << text;
  return verdict.results;
}

/// Runs one op without operands.
Tensors run(const Mesh& mesh, Type result, std::function<Lowered(Emitter&, const Lowered&)> script) {
  ProgramOf program;
  Var only = program.equation(result, {}, std::move(script));
  std::vector<Tensors> results = run(program.returning({only}), mesh, {});
  return results.empty() ? Tensors{} : results[0];
}

/// Runs one op with one operand.
Tensors run(const Mesh& mesh, const Tensors& input, Type result,
            std::function<Lowered(Emitter&, const Lowered&)> script) {
  ProgramOf program;
  Var only =
      program.equation(result, {program.input(Type(input[0].dtype(), input[0].shape()))}, std::move(script));
  std::vector<Tensors> results = run(program.returning({only}), mesh, {input});
  return results.empty() ? Tensors{} : results[0];
}

/// Two elements that tell the device: {d, 10 d}.
Tensors numbered(int devices) {
  Tensors parts;
  for (int d = 0; d < devices; ++d) parts.push_back(Tensor(Shape{2}, std::vector<std::int32_t>{d, 10 * d}));
  return parts;
}

const Mesh grid({{"x", 4}, {"y", 2}});
const Axis x = grid.axes()[0], y = grid.axes()[1];

TEST_F(lower, sums_over_the_devices_of_an_axis) {
  Type result(DType::i32, {2});
  Tensors sums = run(grid, numbered(8), result, [&](Emitter& emitter, const Lowered& operands) -> Lowered {
    return {emitter.emit_with_reducer("stablehlo.all_reduce", ReduceKind::sum, operands, result,
                                      emitter.collective({x}, true))};
  });
  Tensor even(Shape{2}, std::vector<std::int32_t>{12, 120}),
      odd(Shape{2}, std::vector<std::int32_t>{16, 160});
  EXPECT_EQ(sums, (Tensors{even, odd, even, odd, even, odd, even, odd}));
}

TEST_F(lower, gathers_in_the_order_of_the_axes_as_given) {
  Type result(DType::i32, {16});
  Tensors gathered =
      run(grid, numbered(8), result, [&](Emitter& emitter, const Lowered& operands) -> Lowered {
        stablehlo::Attributes attributes = emitter.collective({y, x}, true);
        attributes.push_back({"all_gather_dim", stablehlo::integer(0)});
        return {emitter.emit("stablehlo.all_gather", operands, result, attributes)};
      });
  Tensor all(Shape{16}, std::vector<std::int32_t>{0, 0, 2, 20, 4, 40, 6, 60, 1, 10, 3, 30, 5, 50, 7, 70});
  EXPECT_EQ(gathered, Tensors(8, all));
}

TEST_F(lower, knows_the_position_along_every_tuple_of_axes) {
  ProgramOf program;
  std::vector<Var> results;
  for (const Axes& axes : example_axis_tuples())
    results.push_back(
        program.equation(Type(DType::i32, {}), {}, [axes](Emitter& emitter, const Lowered&) -> Lowered {
          return {emitter.position(axes)};
        }));
  std::vector<Tensors> positions = run(program.returning(results), example_mesh(), {});
  ASSERT_EQ(positions.size(), example_axis_tuples().size());
  Layout layout(example_mesh(), Storage::per_device, {}, {});
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (int device = 0; device < example_mesh().devices(); ++device)
      EXPECT_EQ(positions[i][static_cast<std::size_t>(device)].at(0),
                layout.position(example_axis_tuples()[i], device))
          << to_string(example_axis_tuples()[i]) << " on device " << device;
}

TEST_F(lower, runs_on_meshes_of_one_device) {
  for (const Mesh& mesh : {Mesh(), Mesh({{"one", 1}, {"another", 1}})}) {
    Type result(DType::i32, {2});
    Tensors sums = run(mesh, numbered(1), result, [&](Emitter& emitter, const Lowered& operands) -> Lowered {
      return {emitter.emit_with_reducer("stablehlo.all_reduce", ReduceKind::sum, operands, result,
                                        emitter.collective(mesh.axes(), true))};
    });
    EXPECT_EQ(sums, numbered(1));
  }
}

TEST_F(lower, runs_on_a_mesh_with_an_axis_of_size_1) {
  Mesh mesh({{"p", 1}, {"q", 2}});
  Type result(DType::i32, {2});
  Tensors sums = run(mesh, numbered(2), result, [&](Emitter& emitter, const Lowered& operands) -> Lowered {
    return {emitter.emit_with_reducer("stablehlo.all_reduce", ReduceKind::sum, operands, result,
                                      emitter.collective({mesh.axes()[0]}, true))};
  });
  EXPECT_EQ(sums, numbered(2));
}

// XLA 0.10.2 refuses a manual computation whose operands all are without elements.
TEST_F(lower, runs_with_parameters_without_elements) {
  Tensors empty(8, Tensor(Shape{2, 0}, DType::f32));
  Tensors sums =
      run(grid, empty, Type(DType::f32, {2}), [&](Emitter& emitter, const Lowered& operands) -> Lowered {
        return {emitter.emit_with_reducer("stablehlo.reduce", ReduceKind::sum, operands,
                                          emitter.result_types()[0],
                                          {{"dimensions", stablehlo::integers({1})}})};
      });
  EXPECT_EQ(sums, Tensors(8, Tensor(Shape{2}, DType::f32)));
}

TEST_F(lower, starts_local_folds_from_the_neutral_element) {
  Tensors input{Tensor(Shape{2, 2}, std::vector<float>{-1, -2, -3, -4})};
  auto fold = [&](ReduceKind kind) {
    return run(Mesh(), input, Type(DType::f32, {2}),
               [&](Emitter& emitter, const Lowered& operands) -> Lowered {
                 return {emitter.emit_with_reducer("stablehlo.reduce", kind, operands,
                                                   emitter.result_types()[0],
                                                   {{"dimensions", stablehlo::integers({1})}})};
               });
  };
  EXPECT_EQ(fold(ReduceKind::sum)[0], Tensor(Shape{2}, std::vector<float>{-3, -7}));
  EXPECT_EQ(fold(ReduceKind::max)[0], Tensor(Shape{2}, std::vector<float>{-1, -3}));
  EXPECT_EQ(fold(ReduceKind::min)[0], Tensor(Shape{2}, std::vector<float>{-2, -4}));
}

Tensor reread(const Tensor& value) {
  Tensors results =
      run(Mesh(), Type(value.dtype(), value.shape()),
          [&](Emitter& emitter, const Lowered&) -> Lowered { return {emitter.constant(value)}; });
  return results.empty() ? Tensor() : results[0];
}

/// Numbers that a way through decimals might spoil, then `count` that differ in all digits.
template <class T>
std::vector<T> awkward(std::size_t count) {
  using limits = std::numeric_limits<T>;
  std::vector<T> values{0, 1, limits::max(), limits::lowest(), limits::min()};
  if constexpr (limits::has_infinity)
    values.insert(values.end(), {-T{0}, limits::infinity(), -limits::infinity(), limits::denorm_min(),
                                 limits::epsilon(), std::nextafter(T{1}, T{2}), limits::quiet_NaN()});
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<T>(std::exp(static_cast<double>(i) / 7 - 6)));
  return values;
}

template <class T>
void expect_exact_constants() {
  for (std::size_t more : {0, 50, 200}) {  // 200: written as bytes
    std::vector<T> values = awkward<T>(more);
    Tensor value(Shape{static_cast<std::int64_t>(values.size())}, values);
    EXPECT_EQ(reread(value), value) << name(value.dtype()) << " " << more;
  }
  EXPECT_EQ(reread(Tensor::scalar(T{3})), Tensor::scalar(T{3}));
  Tensor equal(Shape{2, 3}, std::vector<T>(6, T{7})), empty(Shape{0, 3}, std::vector<T>{});
  EXPECT_EQ(reread(equal), equal);
  EXPECT_EQ(reread(empty), empty);
}

TEST_F(lower, writes_constants_to_the_bit) {
  expect_exact_constants<float>();
  expect_exact_constants<double>();
  expect_exact_constants<std::int32_t>();
  expect_exact_constants<std::int64_t>();
}

TEST_F(lower, writes_constants_of_bool) {
  for (std::size_t count : {3, 200}) {
    std::vector<bool> values(count);
    for (std::size_t i = 0; i < count; i += 3) values[i] = true;
    Tensor value(Shape{static_cast<std::int64_t>(count)}, values);
    EXPECT_EQ(reread(value), value) << count;
  }
}

}  // namespace
}  // namespace tutti
