// SPDX-License-Identifier: Apache-2.0
// Whole programs give the same numbers on the machine of a plugin and on the local machine, on every device.
#include <cmath>
#include <limits>

#include "tests/support/differences.hpp"
#include "tests/support/print.hpp"
#include "tests/support/programs.hpp"
#include "tests/xla/real_plugin.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using xla_programs = xla::RealXla;

// f64. Each result has fewer than 200 roundings of numbers below 32, as in tests/oracle/programs_test.cpp.
TEST_F(xla_programs, compute_what_the_local_machine_computes) {
  const auto machine = backend(example_mesh());
  for (const NamedProgram& row : composed_programs()) {
    Random random(7);
    const Values inputs = random_values(random, row.operands, Numbers::any);
    const Values ours = run_on_machine(row.program, example_mesh(), inputs);
    const Values theirs = run_on_machine(row.program, inputs, *machine);
    EXPECT_EQ(difference(row.program, ours, theirs, bounds_of_epsilons(ours, 200 * 32)), "") << row.name;
  }
}

// ---- the programs of tests/oracle/lower_test.cpp, written with users' ops

/// Runs one device's function of i32[2] on the machine of a mesh. Device d gets {d, 10 d}.
Values results_of(const Mesh& mesh, const std::function<Arrays(const Arrays&)>& function) {
  const Type type = Type(DType::i32, {2}).with(mesh.axes(), varying);
  const Program program = trace({type}, [&](const Arrays& x) {
                            auto bound = Builder::current().bind(mesh.axes());
                            return function(x);
                          }).program;
  Tensors parts;
  for (int d = 0; d < mesh.devices(); ++d)
    parts.push_back(Tensor(Shape{2}, std::vector<std::int32_t>{d, 10 * d}));
  const Values theirs = run_on_machine(program, {parts}, *xla::RealXla::backend(mesh));
  EXPECT_EQ(run_on_machine(program, mesh, {parts}), theirs);
  return theirs;
}

Tensor ints(const std::vector<std::int32_t>& values) {
  return {Shape{static_cast<std::int64_t>(values.size())}, values};
}

const Mesh grid({{"x", 4}, {"y", 2}});

TEST_F(xla_programs, sum_and_gather_in_the_order_of_the_axes_as_given) {
  const Values found = results_of(grid, [](const Arrays& x) {
    return Arrays{psum(x[0], "x"), all_gather(x[0], {"y", "x"}, {.tiled = true})};
  });
  const Tensor even = ints({12, 120}), odd = ints({16, 160});
  EXPECT_EQ(found[0], (Tensors{even, odd, even, odd, even, odd, even, odd}));
  EXPECT_EQ(found[1], Tensors(8, ints({0, 0, 2, 20, 4, 40, 6, 60, 1, 10, 3, 30, 5, 50, 7, 70})));
}

TEST_F(xla_programs, know_the_position_along_every_tuple_of_axes) {
  const Mesh& mesh = example_mesh();
  const Layout layout(mesh, Storage::per_device, {}, {});
  const Values found = results_of(mesh, [](const Arrays&) {
    Arrays positions;
    for (const Axes& axes : example_axis_tuples()) positions.push_back(axis_index(axes));
    return positions;
  });
  for (std::size_t i = 0; i < found.size(); ++i)
    for (int device = 0; device < mesh.devices(); ++device)
      EXPECT_EQ(found[i][static_cast<std::size_t>(device)].at(0),
                layout.position(example_axis_tuples()[i], device))
          << to_string(example_axis_tuples()[i]) << " on device " << device;
}

TEST_F(xla_programs, run_on_meshes_of_one_device_and_with_axes_of_size_1) {
  for (const Mesh& mesh : {Mesh({{"one", 1}, {"other", 1}}), Mesh({{"one", 1}, {"other", 2}})}) {
    const Values found = results_of(mesh, [](const Arrays& x) {
      return Arrays{psum(x[0], "one"), psum(x[0], {"one", "other"})};
    });
    EXPECT_EQ(found[1][0], ints({mesh.devices() - 1, 10 * (mesh.devices() - 1)})) << to_string(mesh);
  }
}

TEST_F(xla_programs, take_arrays_without_elements) {
  const Machine on = machine(grid);
  const Array none_of_them(Tensor({2, 0}, DType::f32));
  const auto sums = on.compile([](const Array& x) { return reduce_sum(x, 1); }, none_of_them);
  EXPECT_EQ(sums(none_of_them).tensor(), Tensor({2}, DType::f32));
}

/// Constants that decimal text might change, then 200 different ones, which are written as bytes.
template <class T>
void expect_exact_constants(const Machine& on) {
  using limits = std::numeric_limits<T>;
  for (const int more : {0, 200}) {
    std::vector<T> values{0, 1, limits::max(), limits::lowest(), limits::min()};
    if constexpr (limits::has_infinity)
      values.insert(values.end(), {-T{0}, limits::infinity(), -limits::infinity(), limits::denorm_min(),
                                   limits::epsilon(), limits::quiet_NaN()});
    for (int i = 0; i < more; ++i) values.push_back(static_cast<T>(std::exp(i / 7.0 - 6)));
    const Tensor value(Shape{std::ssize(values)}, values);
    EXPECT_EQ(on.compile([&] { return constant(value); })().tensor(), value);
  }
}

TEST_F(xla_programs, have_constants_to_the_bit) {
  const Machine on = machine(Mesh({{"x", 2}}));
  expect_exact_constants<float>(on);
  expect_exact_constants<double>(on);
  expect_exact_constants<std::int32_t>(on);
  expect_exact_constants<std::int64_t>(on);
}

}  // namespace
}  // namespace tutti
