// SPDX-License-Identifier: Apache-2.0
#include "tests/read/example_texts.hpp"

#include "tests/support/example_programs.hpp"
#include "tests/support/halves.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {

const std::vector<std::string>& example_texts() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found;
    for (const OpRow& row : lowered_ops())
      found.push_back(stablehlo::write(lower_per_device(program_of({row.examples.front()}), example_mesh())));
    found.push_back(
        "#loc1 = loc(\"a.py\":1:2)\nmodule @m attributes {mhlo.num_partitions = 4 : i32} {\nsdy.mesh @mesh = "
        "<[\"x\"=4]>\n"
        "func.func public @main(%a: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> "
        "(tensor<4x3xf32> {jax.result_info = \"r\"}) {\n%r = sdy.manual_computation(%a) "
        "in_shardings=[<@mesh, [{\"x\"}, "
        "{}]>] out_shardings=[<@mesh, [{\"x\"}, {}]>] manual_axes={\"x\"} (%p: tensor<1x3xf32>) {\n%z = "
        "stablehlo.constant dense<0> : tensor<i32>\n%w:2 = stablehlo.while(%i = %z, %c = %p) : tensor<i32>, "
        "tensor<1x3xf32>\ncond {\n%n = stablehlo.constant dense<3> : tensor<i32>\n%t = stablehlo.compare LT, "
        "%i, %n, SIGNED "
        ": (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %t : tensor<i1>\n} do {\n%one = "
        "stablehlo.constant "
        "dense<1> : tensor<i32>\n%d = func.call @twice(%c) : (tensor<1x3xf32>) -> tensor<1x3xf32> "
        "loc(#loc1)\n%next = "
        "stablehlo.add %i, %one : tensor<i32>\nstablehlo.return %next, %d : tensor<i32>, "
        "tensor<1x3xf32>\n}\nsdy.return "
        "%w#1 : tensor<1x3xf32>\n} : (tensor<4x3xf32>) -> tensor<4x3xf32>\nreturn %r : "
        "tensor<4x3xf32>\n}\nfunc.func private "
        "@twice(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {\n%r = stablehlo.add %x, %x : "
        "tensor<1x3xf32>\nreturn %r : "
        "tensor<1x3xf32>\n}\n}\n");
    return found;
  }();
  return all;
}

}  // namespace tutti
