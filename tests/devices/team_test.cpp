// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tutti/base/error.hpp"

namespace tutti {
namespace {

struct Shared {
  Team& team;
  std::vector<int> written;  // by worker, no atomics: barriers order them
  std::atomic<int> entered{0};
  int failing = -1;
};

void pass_a_number_around(void* context, int worker) {
  auto& shared = *static_cast<Shared*>(context);
  ++shared.entered;
  for (int round = 0; round < 200; ++round) {
    if (round % shared.team.workers() == worker) ++shared.written[0];
    if (worker == shared.failing && round == 100) throw std::runtime_error("worker stopped");
    if (!shared.team.barrier(worker)) return;
  }
}

TEST(team, runs_all_workers_and_orders_them_by_barriers) {
  for (int workers : {1, 2, 3}) {
    Team team(workers);
    Shared shared{team, {0}};
    for (int call = 0; call < 50; ++call) team.run(pass_a_number_around, &shared);
    EXPECT_EQ(shared.written[0], 50 * 200);
    EXPECT_EQ(shared.entered, 50 * workers);
  }
}

TEST(team, throws_what_a_worker_threw_and_works_again) {
  Team team(2);
  for (int failing : {0, 1}) {
    Shared shared{team, {0}};
    shared.failing = failing;
    EXPECT_THROW(team.run(pass_a_number_around, &shared), std::runtime_error);
    Shared again{team, {0}};
    team.run(pass_a_number_around, &again);
    EXPECT_EQ(again.written[0], 200);
  }
}

TEST(team, takes_calls_from_several_threads_in_turn) {
  Team team(2);
  Shared shared{team, {0}};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      for (int call = 0; call < 10; ++call) team.run(pass_a_number_around, &shared);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(shared.written[0], 30 * 200);
}

// How little an idle team uses is measured in bench/; here it only comes to rest.
TEST(team, falls_asleep_when_idle_and_wakes_up) {
  Team team(2);
  Shared shared{team, {0}};
  team.run(pass_a_number_around, &shared);
  for (int i = 0; i < 1000 && team.helpers() != Team::Helpers::asleep; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(team.helpers(), Team::Helpers::asleep);
  team.run(pass_a_number_around, &shared);
  EXPECT_EQ(shared.written[0], 400);
}

TEST(team, refuses_to_have_no_worker) { EXPECT_THROW(Team(0), Error); }

}  // namespace
}  // namespace tutti
