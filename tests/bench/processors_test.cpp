// SPDX-License-Identifier: Apache-2.0
// Benchmarks stay on the processors that they were started on.
#include "bench/processors.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace tutti::bench {
namespace {

TEST(processors, the_first_is_one_of_those_that_the_thread_may_use) {
  ASSERT_FALSE(usable_processors().empty());
  for (int processor : usable_processors())
    std::thread([processor] {
      bind_to_processor(processor);
      bind_to_first_processor();
      EXPECT_EQ(usable_processors(), std::vector{processor});
      EXPECT_EQ(sched_getcpu(), processor);
    }).join();
}

}  // namespace
}  // namespace tutti::bench
