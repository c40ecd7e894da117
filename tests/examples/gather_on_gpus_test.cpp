// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/command.hpp"

namespace tutti {
namespace {

// On a machine with a GPU it gathers.
TEST(gather_on_gpus, gathers_or_says_that_there_is_no_gpu_and_how_to_see_the_kernel) {
  const Finished run = run_command(program_folder() + "/gather_on_gpus");
  EXPECT_EQ(run.status, 0) << run.err;
  const bool has_gpu = !run.out.starts_with("no GPU: ");
  for (const char* part :
       has_gpu
           ? std::initializer_list<const char*>{"kernel all_gather_f32_w4", "rank 3: 0 1 10 11 20 21 30 31\n"}
           : std::initializer_list<const char*>{"the kernel: tutti kernel all_gather --world 4 --shape 2\n"})
    EXPECT_NE(run.out.find(part), std::string::npos) << run.out;
}

}  // namespace
}  // namespace tutti
