// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <dnnl.hpp>

namespace tutti {
namespace {

TEST(onednn_3, is_the_library_that_is_compiled_for_and_loaded) {
  EXPECT_EQ(DNNL_VERSION_MAJOR, 3);
  EXPECT_EQ(dnnl_version()->major, DNNL_VERSION_MAJOR);
  EXPECT_EQ(dnnl_version()->minor, DNNL_VERSION_MINOR);
}

}  // namespace
}  // namespace tutti
