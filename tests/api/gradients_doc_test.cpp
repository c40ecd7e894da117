// SPDX-License-Identifier: Apache-2.0
// The claims of docs/gradients_of_equal_parameters.md. tests/pages runs its programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array loss(Array w, Array x) { return w * x * x; }

Array mixed(Array w, Array x) {
  auto of_one = [&](Array one) { return grad(loss)(w, one); };
  return vmap(of_one)(x);
}
Array own(Array w, Array x) {
  Array varying_w = pcast(w, "data", varying);
  auto of_one = [&](Array one) { return grad(loss)(varying_w, one); };
  return vmap(of_one)(x);
}

const Mesh& mesh() {
  static const Mesh line({{"data", 2}});
  return line;
}
template <class F>
Array ran(F body) {
  auto sharded = shard_map(body, {.mesh = mesh(), .in = {P(), P("data")}, .out = P("data")});
  Array w = Tensor::scalar(0.5F), x = Tensor({4}, {1.0F, 2.0F, 3.0F, 4.0F});
  return open_local(mesh(), {.workers = 1}).compile(sharded, w, x)(w, x);
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}
const std::string page = "docs/gradients_of_equal_parameters.md";

TEST(gradients_page, programs_give_the_gradients_that_it_says) {
  EXPECT_EQ(ran(mixed).values<float>(), (std::vector<float>{10, 20, 10, 20}));
  EXPECT_EQ(ran(own).values<float>(), (std::vector<float>{1, 4, 9, 16}));
}

TEST(gradients_page, says_the_type_of_the_mixed_gradients) {
  Program program =
      trace({Type(DType::f32, {}), Type(DType::f32, {4})}, [](const Arrays& in) {
        return Arrays{shard_map(mixed, {.mesh = mesh(), .in = {P(), P("data")}, .out = P()})(in[0], in[1])};
      }).program;
  std::string type = to_string(program.type(program.outputs[0]));
  EXPECT_EQ(std::ranges::count(lines_of(page), "`" + type + "`, without `{V:data}`."), 1) << type;
}

TEST(gradients_page, psum_of_own_gradients_is_the_gradient_of_the_sum) {
  auto summed = [](Array w, Array x) { return psum(own(w, x), "data"); };
  auto sharded = shard_map(summed, {.mesh = mesh(), .in = {P(), P("data")}, .out = P()});
  Array w = Tensor::scalar(0.5F), x = Tensor({4}, {1.0F, 2.0F, 3.0F, 4.0F});
  EXPECT_EQ(open_local(mesh()).compile(sharded, w, x)(w, x).values<float>(), (std::vector<float>{10, 20}));
}

// A cast inside of the loss is differentiated: its transpose is the sum.
TEST(gradients_page, a_cast_inside_of_the_loss_does_not_help) {
  auto inside = [](Array w, Array x) {
    auto cast_loss = [](Array u, Array one) { return loss(pcast(u, "data", varying), one); };
    return vmap([&](Array one) { return grad(cast_loss)(w, one); })(x);
  };
  EXPECT_EQ(ran(inside).values<float>(), (std::vector<float>{10, 20, 10, 20}));
}

TEST(gradients_page, is_linked_from_the_page_of_errors) {
  std::string text;
  for (const std::string& line : lines_of("docs/errors.md")) text += line + "\n";
  EXPECT_NE(text.find("`" + page + "`"), std::string::npos);
}

}  // namespace
}  // namespace tutti
