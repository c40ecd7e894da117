// SPDX-License-Identifier: Apache-2.0
// The time to compile a program grows with its leaves, not with their square: optimisers have a leaf per
// parameter.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "tests/support/sanitizer.hpp"
#include "tutti/run/place/pairing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Arrays each(const Arrays& leaves, const std::function<Array(const Array&)>& f) {
  Arrays results;
  for (const Array& leaf : leaves) results.push_back(f(leaf));
  return results;
}

Arrays scaled(const Arrays& x) {
  return each(x, [](const Array& a) { return a * 0.9F + 0.1F; });
}

Arrays updated(const Arrays& x) {
  const Arrays gradients = grad([](const Arrays& p) {
    Array sum = p[0] * p[0];
    for (std::size_t i = 1; i < p.size(); ++i) sum = sum + p[i] * p[i];
    return psum(reduce_sum(sum), "i");
  })(x);
  Arrays next;
  for (std::size_t i = 0; i < x.size(); ++i)
    next.push_back(x[i] - gradients[i] / (sqrt(gradients[i] * gradients[i]) + 1e-8F) * 0.1F);
  return next;
}

struct Leaves {
  const char* name;
  Arrays (*body)(const Arrays& x);
};
void PrintTo(const Leaves& kind, std::ostream* out) { *out << kind.name; }

const Leaves kinds[] = {
    {"scaled", scaled},
    {"updated_by_gradients", updated},
    {"summed", [](const Arrays& x) { return each(x, [](const Array& a) { return a + psum(a, "i"); }); }},
    {"carried",
     [](const Arrays& x) {
       return scaled(fori_loop(0, 10, [](const Array&, const Arrays& c) { return scaled(c); }, scaled(x)));
     }},
    {"chosen",
     [](const Arrays& x) {
       const auto as_they_are = [](const Arrays& c) {
         return each(c, [](const Array& a) { return a + 1.0F; });
       };
       return scaled(
           cond(reduce_sum(x[0]) > 0.0F, [](const Arrays& c) { return scaled(c); }, as_they_are, scaled(x)));
     }},
    {"cut_from_one",
     [](const Arrays& x) {
       const Array all = concatenate(x, 0);
       Arrays parts;
       for (std::size_t i = 0; i < x.size(); ++i) parts.push_back(all[static_cast<int>(i)] * 2.0F);
       return each(parts, [](const Array& a) { return reshape(a, {1}); });
     }},
};

/// CPU time of this thread: other work on the machine does not count.
double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The shortest of three times.
double seconds_to_compile(const Leaves& kind, std::size_t leaves) {
  const Mesh mesh({{"i", 2}});
  const Machine machine = open_local(mesh);
  const Arrays arguments(leaves, abstract({2}, DType::f32));
  double shortest = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = seconds();
    machine.compile(shard_map(kind.body, {.mesh = mesh, .in = P("i"), .out = P("i")}), arguments);
    shortest = std::min(shortest, seconds() - start);
  }
  return shortest;
}

class compile_time : public testing::TestWithParam<Leaves> {};

// Four times the leaves take about four times as long; the square would be 16 times.
TEST_P(compile_time, grows_with_the_leaves) {
  if (has_sanitizer()) GTEST_SKIP() << "sanitizers check pairs of buffers for races";
  const double few = seconds_to_compile(GetParam(), 500), many = seconds_to_compile(GetParam(), 2000);
  EXPECT_LT(many, 7 * few) << few << " s for 500, " << many << " s for 2,000";
}

INSTANTIATE_TEST_SUITE_P(of_leaves, compile_time, testing::ValuesIn(kinds),
                         [](const auto& row) { return std::string(row.param.name); });

Reuse::Moment at(std::size_t phase) { return {phase, static_cast<StepId>(phase)}; }

TEST(pairs_of_inputs_and_outputs, let_those_with_one_near_input_choose_first) {
  Pairing pairing{.inputs = {{0, at(1)}, {0, at(1)}},
                  .outputs = {{0, at(1), {0, 1}}, {0, at(1), {0}}},
                  .may = [](std::size_t, std::size_t) { return true; }};
  EXPECT_EQ(paired(pairing), (std::vector<std::optional<std::size_t>>{1, 0}));
}

TEST(pairs_of_inputs_and_outputs, are_of_one_kind) {
  Pairing pairing{.inputs = {{1, at(0)}, {0, at(0)}},
                  .outputs = {{0, at(1), {0}}, {2, at(1), {}}},
                  .may = [](std::size_t, std::size_t) { return true; }};
  EXPECT_EQ(paired(pairing), (std::vector<std::optional<std::size_t>>{1, std::nullopt}));
}

TEST(pairs_of_inputs_and_outputs, give_early_outputs_the_inputs_that_are_free_early) {
  Pairing pairing{.inputs = {{0, at(2)}, {0, std::nullopt}, {0, at(1)}},
                  .outputs = {{0, at(3), {}}, {0, at(1), {}}, {0, at(2), {}}}};
  pairing.may = [&](std::size_t i, std::size_t o) {
    return pairing.inputs[i].last < pairing.outputs[o].made;
  };
  EXPECT_EQ(paired(pairing), (std::vector<std::optional<std::size_t>>{0, 1, 2}));
}

TEST(pairs_of_inputs_and_outputs, are_found_by_few_questions) {
  constexpr std::size_t n = 3000;
  std::size_t questions = 0;
  Pairing pairing;
  for (std::size_t i = 0; i < n; ++i) {
    pairing.inputs.push_back({0, at(1)});
    pairing.outputs.push_back({0, at(2), {}});
  }
  pairing.may = [&](std::size_t, std::size_t) { return ++questions > 0; };
  const auto is_none = [](const std::optional<std::size_t>& input) { return !input; };
  EXPECT_TRUE(std::ranges::none_of(paired(pairing), is_none));
  pairing.may = [&](std::size_t, std::size_t) { return ++questions == 0; };
  EXPECT_TRUE(std::ranges::all_of(paired(pairing), is_none));
  EXPECT_LT(questions, 100 * n);
}

}  // namespace
}  // namespace tutti
