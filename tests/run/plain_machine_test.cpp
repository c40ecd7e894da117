// SPDX-License-Identifier: Apache-2.0
// Checks that a plain run of the tests really sees a plainer machine.
#include "tests/support/plain_machine.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tutti/devices/cache.hpp"
#include "tutti/tensor/loops/instruction_set.hpp"
#include "tutti/tensor/products/blas.hpp"
#include "tutti/tensor/products/float_product.hpp"

namespace tutti {
namespace {

class plain_machine : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_plain_machine()) GTEST_SKIP() << "TUTTI_TEST_PLAIN is not set";
  }
};

TEST_F(plain_machine, has_small_caches) {
  EXPECT_EQ(last_cache_bytes(), 2 << 20);
  EXPECT_EQ(core_cache_bytes(), 512 << 10);
}

TEST_F(plain_machine, has_no_avx512) {
  EXPECT_EQ(std::string(instruction_set()).find("AVX3"), std::string::npos);
  EXPECT_FALSE(FloatProduct::takes(DType::bf16));
  for (const char* kernels : {"SkylakeX", "SKYLAKEX", "Cooperlake", "SapphireRapids"})
    EXPECT_EQ(blas().config.find(kernels), std::string::npos) << blas().config;
}

}  // namespace
}  // namespace tutti
