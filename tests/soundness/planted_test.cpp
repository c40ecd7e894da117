// SPDX-License-Identifier: Apache-2.0
// Ops with one wrong rule, planted in generated programs: a law catches each, and the program that is left is
// short.
#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "tests/laws/planted.hpp"
#include "tests/soundness/generated_drafts.hpp"
#include "tests/soundness/laws.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti::generated {
namespace {

/// Its tangent is the wrong op again, and so is what is transposed.
struct WronglyTransposedGather : planted::GatherTransposedToSum {
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const {
    return linear_jvp(*this, operands, tangents);
  }
  bool operator==(const WronglyTransposedGather&) const = default;
};

struct Defect {
  std::string name, law;        // the law that must catch it
  Op (*planted)(const Op& op);  // the op itself where there is nothing to plant
};

template <class Right, class Wrong>
Op instead(const Op& op) {
  if (const Right* right = op.as<Right>()) return Wrong{*right};
  return op;
}
Op doubled_tanh(const Op& op) {
  const Unary* unary = op.as<Unary>();
  return unary && unary->fn == UnaryFn::tanh ? planted::TanhOfDoubleSlope{*unary} : op;
}
Op half_a_product(const Op& op) {
  const Binary* binary = op.as<Binary>();
  return binary && binary->fn == BinaryFn::mul ? planted::ProductOfOneTangent{*binary} : op;
}
Op maximum_of_pairs(const Op& op) {
  const AllReduce* reduce = op.as<AllReduce>();
  bool is_it = reduce && reduce->kind == ReduceKind::max && reduce->groups.empty() && reduce->axes.size() > 1;
  return is_it ? planted::MaximumOfPairs{*reduce} : op;
}
Op sum_of_one_lane(const Op& op) {
  const AllReduce* reduce = op.as<AllReduce>();
  bool is_it = reduce && reduce->kind == ReduceKind::sum && reduce->groups.empty();
  return is_it ? planted::SumOfOneLane{*reduce} : op;
}
Op gathered_as_sum(const Op& op) {
  const AllGather* gather = op.as<AllGather>();
  bool is_it = gather && gather->groups.empty() && gather->to == State::invariant;
  return is_it ? WronglyTransposedGather{{*gather}} : op;
}

/// Sets `is_there` where an op has the defect.
Program with_planted(Program program, const Defect& defect, bool& is_there) {
  for (Equation& equation : program.equations) {
    equation.op = with_changed_programs(equation.op, [&](const Program& sub) {
      return with_planted(sub, defect, is_there);
    });
    const Op planted = defect.planted(equation.op);
    is_there = is_there || !(planted == equation.op);
    equation.op = planted;
  }
  return program;
}

void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }

class planted_defects : public testing::TestWithParam<Defect> {};

// On the example mesh, whose axes the planted ops name.
TEST_P(planted_defects, are_caught_by_a_short_program) {
  Tally tally;
  std::string found = found_and_shrunken({2, 2, 2}, {.programs = 3000}, [&](const Draft& draft) {
    Written made = written(draft);
    bool is_there = false;
    made.program = with_planted(std::move(made.program), GetParam(), is_there);
    if (!is_there) return std::string();
    std::string how = broken_law(made, draft.values, tally);
    return how.starts_with(GetParam().law) ? how : "";
  });
  EXPECT_NE(found, "") << "not caught";
  EXPECT_LT(std::ranges::count(found, '\n'), 60) << found;
}

const Defect defects[] = {
    {"double_slope", "derivatives are slopes", doubled_tanh},
    {"half_a_product", "derivatives are slopes", half_a_product},
    {"maximum_of_pairs_typed_equal", "what is typed equal is equal", maximum_of_pairs},
    {"sum_of_one_lane", "lanes are devices", sum_of_one_lane},
    {"gather_transposed_to_a_sum", "<J v, w> = <v, T(J) w>", gathered_as_sum},
    {"next_branch", "lanes are devices", instead<Switch, planted::SwitchToNextBranch>},
    {"reduce_without_shift", "no rule fails", instead<Reduce, planted::ReduceWithoutShift>},
};
INSTANTIATE_TEST_SUITE_P(all, planted_defects, testing::ValuesIn(defects),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace tutti::generated
