// SPDX-License-Identifier: Apache-2.0
// Counts the arrays that the machine uploads, on the fake plugin, whose results are zeros.
#include <set>

#include "tests/support/print.hpp"
#include "tests/xla/fake_xla.hpp"
#include "tutti/tutti.hpp"
#include "tutti/xla/backend.hpp"

namespace tutti {
namespace {

class xla_uploads : public xla::FakeXla {
 protected:
  Machine two() {
    return Machine(
        std::make_shared<xla::XlaBackend>(Mesh({{"x", 2}}), client(), xla::first(2), XlaOptions{}));
  }
  int uploads() const { return calls("PJRT_Client_BufferFromHostBuffer"); }
};

Array floats(std::int64_t n) { return Tensor({n}, DType::f32); }
Array twice(const Array& x) { return x + x; }

TEST_F(xla_uploads, copy_a_host_array_once_while_it_lives) {
  const Machine on = two();
  Array x = floats(6);
  const auto run = on.compile(twice, x), other = on.compile([](const Array& v) { return v * v; }, x);
  for (int call = 0; call < 3; ++call) run(x);
  other(x);
  EXPECT_EQ(uploads(), 2);  // one for each device
  EXPECT_EQ(control.live("buffer"), 2);
  const Array equal_one = floats(6);
  run(equal_one);
  EXPECT_EQ(uploads(), 4);
  x = Array();
  run(equal_one);
  EXPECT_EQ(uploads(), 4);
  EXPECT_EQ(control.live("buffer"), 2);  // the buffers of the dead array are freed
}

TEST_F(xla_uploads, copy_once_for_each_layout) {
  const Machine on = two();
  const Array x = floats(6);
  const auto whole = on.compile(twice, x);
  const auto split = on.compile(shard_map(twice, {.mesh = on.mesh(), .in = P("x"), .out = P("x")}),
                                abstract({6}, DType::f32));
  for (int call = 0; call < 2; ++call) {
    whole(x);
    split(x);
  }
  EXPECT_EQ(uploads(), 4);
}

TEST_F(xla_uploads, are_not_kept_of_an_array_that_is_given_away) {
  const Machine on = two();
  const auto run = on.compile(twice, floats(6));
  for (int call = 0; call < 2; ++call) {
    run(floats(6));
    EXPECT_EQ(control.live("buffer"), 0);
  }
  EXPECT_EQ(uploads(), 4);
}

TEST_F(xla_uploads, are_none_of_what_lies_on_the_devices) {
  const Machine on = two();
  const Array x = on.place(floats(6), P("x"));
  EXPECT_EQ(uploads(), 2);
  const auto run = on.compile(shard_map(twice, {.mesh = on.mesh(), .in = P("x"), .out = P("x")}),
                              abstract({6}, DType::f32));
  run(run(x));
  EXPECT_EQ(on.place(x, P("x")).data(), x.data());
  EXPECT_EQ(uploads(), 2);
  EXPECT_EQ(calls("PJRT_Buffer_ToHostBuffer"), 0);
}

TEST_F(xla_uploads, copy_data_that_a_function_closes_over_once) {
  const Machine on = two();
  const Array w = floats(6);
  const auto run = on.compile([w](const Array& x) { return x * w; }, floats(6));
  const Array x = floats(6);
  for (int call = 0; call < 3; ++call) run(x);
  EXPECT_EQ(uploads(), 4);
}

// The local machine hands out the same objects again, with other elements.
TEST_F(xla_uploads, copy_every_result_of_the_local_machine) {
  const Machine on = two(), local = open_local(on.mesh());
  const auto split = shard_map(twice, {.mesh = on.mesh(), .in = P("x"), .out = P("x")});
  const auto there = on.compile(split, abstract({6}, DType::f32));
  const auto here = local.compile(split, abstract({6}, DType::f32));
  Array x;
  std::set<const GlobalArray*> objects;
  for (int call = 1; call <= 5; ++call) {
    x = here(floats(6));
    objects.insert(x.data().get());
    there(x);
    EXPECT_EQ(uploads(), 2 * call);
  }
  EXPECT_LT(objects.size(), 5U);
}

}  // namespace
}  // namespace tutti
