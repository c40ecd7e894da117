// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/team.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/processors.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tensor/products/one_thread.hpp"

namespace tutti {
namespace {

using bench::usable_processors;

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

TEST(team, leaves_the_callers_number_of_openmp_threads) {
  std::thread([] {
    omp_set_num_threads(3);
    Team team(2, Team::Use::always);
    int of_helper = 0;
    auto look = [](void* context, int worker) {
      if (worker == 1) *static_cast<int*>(context) = omp_get_max_threads();
    };
    team.run(look, &of_helper);
    EXPECT_EQ(of_helper, 1);
    EXPECT_EQ(omp_get_max_threads(), 3);
  }).join();
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
  std::vector<std::string> refusals(3);
  std::vector<std::thread> callers;
  for (std::string& refusal : refusals)
    callers.emplace_back([&] {
      try {
        for (int call = 0; call < 10; ++call) team.run(pass_a_number_around, &shared);
      } catch (const Error& error) {
        refusal = error.what();
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(refusals, std::vector<std::string>(3));
  EXPECT_EQ(shared.written[0], 30 * 200);
}

double processor_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// bench/team.cpp measures how little; a helper that spins would use all of the 300 ms.
TEST(team, uses_no_processor_time_while_idle) {
  Team team(3, Team::Use::always);
  Shared shared{team, {0}};
  team.run(pass_a_number_around, &shared);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(processor_seconds() - before, 0.1);
}

/// That the helper of a team of two may run on, while it works.
std::vector<int> processors_of_helper(Team& team) {
  std::vector<int> found;
  auto look = [](void* context, int worker) {
    if (worker == 1) *static_cast<std::vector<int>*>(context) = usable_processors();
  };
  team.run(look, &found);
  return found;
}

// A thread may use one processor only, the last. Its helpers may not leave it, and help nobody.
TEST(team, stays_on_the_processors_that_its_maker_may_use) {
  std::thread maker([] {
    const std::vector<int> one{usable_processors().back()};
    bench::bind_to_processor(one[0]);
    ASSERT_EQ(usable_processors(), one);
    EXPECT_EQ(Team::default_workers(), 1);
    Team team(2);
    EXPECT_EQ(processors_of_helper(team), one);
    EXPECT_EQ(team.helpers(), Team::Helpers::crowded);
  });
  maker.join();
}

TEST(team, binds_nobody_where_it_may_not) {
  const std::vector<int> usable = usable_processors();
  Team team(2, Team::Use::always, Team::Fewer::refused, Team::Binding::none);
  for (int call = 0; call < 5; ++call) EXPECT_EQ(processors_of_helper(team), usable);
}

TEST(team, leaves_the_processors_of_its_caller) {
  const std::vector<int> usable = usable_processors();
  for (const Team::Binding binding : {Team::Binding::own_cores, Team::Binding::none}) {
    {
      Team team(3, Team::Use::always, Team::Fewer::refused, binding);
      Shared shared{team, {0}};
      team.run(pass_a_number_around, &shared);
      EXPECT_EQ(usable_processors(), usable);
    }
    EXPECT_EQ(usable_processors(), usable);
  }
}

// The caller goes from processor to processor; its helper is elsewhere before each piece of work.
TEST(team, keeps_its_helpers_where_the_caller_is_not) {
  if (Team::default_workers() < 2) GTEST_SKIP() << "one processor";
  std::thread caller([] {
    Team team(2);
    const std::vector<int> usable = usable_processors();
    for (int round = 0; round < 2; ++round)
      for (int processor : usable) {
        bench::bind_to_processor(processor);
        const std::vector<int> found = processors_of_helper(team);
        EXPECT_LT(found.size(), usable.size());
        EXPECT_EQ(std::ranges::count(found, processor), 0);
      }
  });
  caller.join();
}

// As taskset does to all threads of a process.
TEST(team, leaves_a_helper_alone_that_somebody_else_has_bound) {
  const std::vector<int> usable = usable_processors();
  if (usable.size() < 2) GTEST_SKIP() << "one processor";
  std::thread caller([&] {
    Team team(2);
    auto bind_helper_to_all = [](void* context, int worker) {
      if (worker == 1) bench::bind_to_processors(*static_cast<const std::vector<int>*>(context));
    };
    std::vector<int> all = usable;
    bench::bind_to_processor(usable.front());
    team.run(bind_helper_to_all, &all);
    for (int processor : usable) {
      bench::bind_to_processor(processor);
      EXPECT_EQ(processors_of_helper(team), usable);
    }
  });
  caller.join();
}

// As a helper is that shares its processor: quick for a while, then late.
TEST(team, looks_crowded_when_a_helper_is_late_now_and_then) {
  if (Team::default_workers() < 2) GTEST_SKIP() << "one processor: always crowded";
  Team team(2);
  auto quick = [](void*, int) {};
  auto late = [](void*, int worker) {
    if (worker == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  bool crowded = false;
  for (int i = 0; i < 100 && !crowded; ++i) {
    for (int k = 0; k < 10; ++k) team.run(quick, nullptr);
    team.run(late, nullptr);
    crowded = team.helpers() == Team::Helpers::crowded;
  }
  EXPECT_TRUE(crowded);
  for (int i = 0; i < 1000 && team.helpers() == Team::Helpers::crowded; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(team.helpers(), Team::Helpers::crowded);
}

TEST(team, falls_asleep_when_idle_and_wakes_up) {
  if (Team::default_workers() < 2) GTEST_SKIP() << "one processor: always crowded";
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
