// SPDX-License-Identifier: Apache-2.0
// One executable whose calls are run now by the caller alone, now by all workers.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"

namespace tutti {
namespace {

/// Which threads run the units of an op.
class Watch {
 public:
  void note() {
    std::lock_guard lock(mutex_);
    threads_.insert(std::this_thread::get_id());
  }
  /// Since the last time.
  std::size_t threads() { return std::exchange(threads_, {}).size(); }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
};

void fall_asleep(Team& team) {
  for (int i = 0; i < 1000 && team.helpers() != Team::Helpers::asleep; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
/// The helper is late twice, as if somebody else had its processor.
void look_crowded(Team& team) {
  auto late = [](void*, int worker) {
    if (worker == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  for (int i = 0; i < 2; ++i) team.run(late, nullptr);
}
void wake_up(Team& team) {
  team.run([](void*, int) {}, nullptr);
}

// Eight units that seem to take 2 us each: worth a helper that is awake, not one that sleeps.
TEST(crew, alone_or_together_a_call_computes_the_same) {
  if (Team::default_workers() < 2) GTEST_SKIP() << "one processor: always alone";
  Watch watch;
  Opaque copying{[&](const kernel::Unit& unit) {
                   watch.note();
                   std::memcpy(unit.results[0], unit.operands[0], 8 * 16 * sizeof(float));
                 },
                 2000};
  Mesh mesh({{"i", 8}});
  Program program = test_program(mesh, {{DType::f32, {64, 16}, {mesh.axes()}}},
                                 [&](const Arrays& x) {
                                   Array y = Builder::current().add(copying, {x[0] * 0.3})[0];
                                   return Arrays{y - psum(y * 0.1, mesh.axes())};
                                 },
                                 {{mesh.axes()}});
  Team team(2);
  Executable executable(program, mesh, team);
  GlobalArrays inputs{std::make_shared<const GlobalArray>(test_data(DType::f32, {64, 16}, 1))};
  Tensor expected = executable.run(inputs)[0]->whole();
  watch.threads();
  int asleep = 0, crowded = 0, together = 0;
  for (int i = 0; (asleep < 3 || crowded < 3 || together < 3) && i < 3000; ++i) {
    void (*const prepare[])(Team&) = {fall_asleep, wake_up, look_crowded, wake_up};
    prepare[i % 4](team);
    Team::Helpers before = team.helpers();
    ASSERT_TRUE(executable.run(inputs)[0]->whole() == expected);
    std::size_t threads = watch.threads();
    asleep += before == Team::Helpers::asleep && threads == 1 ? 1 : 0;
    crowded += before == Team::Helpers::crowded && threads == 1 ? 1 : 0;
    together += threads == 2 ? 1 : 0;
  }
  EXPECT_GE(asleep, 3);
  EXPECT_GE(crowded, 3);
  EXPECT_GE(together, 3);
}

}  // namespace
}  // namespace tutti
