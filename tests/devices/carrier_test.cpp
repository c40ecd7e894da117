// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/carrier.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

TEST(carrier, does_its_work_in_order_beside_the_caller) {
  Carrier carrier;
  std::latch has_begun(1), goes_on(1);
  std::vector<int> done;
  std::thread::id by;
  const std::size_t first = carrier.hand_over([&] {
    has_begun.count_down();
    goes_on.wait();  // this thread does not wait for it
    by = std::this_thread::get_id();
    done.push_back(1);
  });
  const std::size_t second = carrier.hand_over([&] { done.push_back(2); });
  EXPECT_FALSE(carrier.is_idle());
  has_begun.wait();
  goes_on.count_down();
  carrier.wait(second);
  carrier.wait(first);
  EXPECT_EQ(done, (std::vector{1, 2}));
  EXPECT_NE(by, std::this_thread::get_id());
  EXPECT_TRUE(carrier.is_idle());
}

TEST(carrier, throws_at_the_wait_for_the_work_that_failed) {
  Carrier carrier;
  const std::size_t fails = carrier.hand_over([] { throw std::runtime_error("no"); });
  const std::size_t works = carrier.hand_over([] {});
  carrier.wait(works);
  EXPECT_THROW(carrier.wait(fails), std::runtime_error);
  EXPECT_NO_THROW(carrier.wait(fails));  // it was told once
  carrier.hand_over([] { throw std::runtime_error("no"); });
  carrier.drain();
  EXPECT_TRUE(carrier.is_idle());
}

TEST(carrier, may_not_rest_while_somebody_waits) {
  Carrier carrier;
  std::latch looked(1);
  bool rested = false;
  const std::size_t number = carrier.hand_over([&] {
    rested = carrier.may_rest();
    looked.count_down();
    while (carrier.may_rest()) std::this_thread::yield();
  });
  looked.wait();
  carrier.wait(number);
  EXPECT_TRUE(rested);
}

}  // namespace
}  // namespace tutti
