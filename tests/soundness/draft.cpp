// SPDX-License-Identifier: Apache-2.0
#include "tests/soundness/draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

namespace tutti::generated {
namespace {

constexpr int first_collective = static_cast<int>(Kind::sum_of_all),
              first_with_blocks = static_cast<int>(Kind::branch_of_two);
constexpr int deepest = 2;  // blocks in blocks

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : engine_(seed) {}

  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }

  // Four in nine are local, three collective, two have blocks.
  Kind kind(int depth) {
    int family = below(depth < deepest ? 9 : 7);
    if (family < 4) return static_cast<Kind>(below(first_collective));
    if (family < 7) return static_cast<Kind>(first_collective + below(first_with_blocks - first_collective));
    return static_cast<Kind>(first_with_blocks + below(kinds - first_with_blocks));
  }

  Actions actions(int most, int depth) {
    Actions all(static_cast<std::size_t>(1 + below(most)));
    for (Action& action : all) {
      action.kind = kind(depth);
      for (int& pick : action.picks) pick = below(24);
      action.picks[0] =
          std::min(below(6), below(6));  // chains are longer if the last values are used more often
      action.picks[1] = below(12);
      if (static_cast<int>(action.kind) >= first_with_blocks)
        action.blocks = {actions(3, depth + 1), actions(3, depth + 1)};
    }
    return all;
  }

 private:
  std::mt19937_64 engine_;
};

// --- Simpler drafts ----------------------------------------------------------------------------------------

std::vector<Actions> simpler_actions(const Actions& actions);

std::vector<Action> simpler_action(const Action& action) {
  std::vector<Action> all;
  if (action.kind != Kind::negation) all.push_back({Kind::negation, {action.picks[0], 0, 0, 0}, {}});
  for (std::size_t b = 0; b < action.blocks.size(); ++b)
    for (Actions& block : simpler_actions(action.blocks[b])) {
      all.push_back(action);
      all.back().blocks[b] = std::move(block);
    }
  for (std::size_t i = 0; i < action.picks.size(); ++i)
    for (int pick : {0, action.picks[i] / 2, action.picks[i] - 1}) {
      if (pick < 0 || pick >= action.picks[i]) continue;
      all.push_back(action);
      all.back().picks[i] = pick;
    }
  return all;
}

std::vector<Actions> simpler_actions(const Actions& actions) {
  std::vector<Actions> all;
  for (std::size_t size = actions.size(); size > 0; size /= 2)
    for (std::size_t at = 0; at + size <= actions.size(); at += size) {
      all.push_back(actions);
      auto begin = all.back().begin() + static_cast<std::ptrdiff_t>(at);
      all.back().erase(begin, begin + static_cast<std::ptrdiff_t>(size));
    }
  auto replaced = [&](std::size_t i, const Actions& by) {
    Actions other = actions;
    auto at = other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
    other.insert(at, by.begin(), by.end());
    all.push_back(std::move(other));
  };
  for (std::size_t i = 0; i < actions.size(); ++i)
    for (const Actions& block : actions[i].blocks) replaced(i, block);
  for (std::size_t i = 0; i < actions.size(); ++i)
    for (const Action& action : simpler_action(actions[i])) replaced(i, {action});
  return all;
}

std::string text_of(const Actions& actions) {
  std::string text;
  for (const Action& action : actions) {
    static constexpr std::string_view names[] = {"negation",
                                                 "unary",
                                                 "addition",
                                                 "multiplication",
                                                 "division",
                                                 "extremum",
                                                 "choice",
                                                 "comparison",
                                                 "power",
                                                 "bounds",
                                                 "reduction",
                                                 "repetition",
                                                 "product",
                                                 "part",
                                                 "reversal",
                                                 "join",
                                                 "padding",
                                                 "turn",
                                                 "other_shape",
                                                 "taken",
                                                 "window",
                                                 "update",
                                                 "scattered",
                                                 "sorted",
                                                 "running_sum",
                                                 "whole_number",
                                                 "weights",
                                                 "constant_value",
                                                 "sum_of_all",
                                                 "mean_of_all",
                                                 "extremum_of_all",
                                                 "blocks_of_all",
                                                 "part_of_sum",
                                                 "exchange",
                                                 "permutation",
                                                 "value_of_one",
                                                 "position",
                                                 "other_state",
                                                 "masked",
                                                 "kept_on_one",
                                                 "assumption",
                                                 "own_part",
                                                 "started_sum",
                                                 "started_mean",
                                                 "started_extremum",
                                                 "started_blocks",
                                                 "started_part",
                                                 "started_exchange",
                                                 "started_permutation",
                                                 "started_value",
                                                 "sent",
                                                 "ragged_exchange",
                                                 "started_ragged_exchange",
                                                 "other_sharding",
                                                 "other_sharding_of_terms",
                                                 "branch_of_two",
                                                 "branch_of_three",
                                                 "loop_over_slices",
                                                 "counted_loop",
                                                 "updated_carries",
                                                 "loop_while",
                                                 "computed_again",
                                                 "own_tangent",
                                                 "own_gradient",
                                                 "gradient",
                                                 "tangent_of",
                                                 "lanes",
                                                 "devices",
                                                 "barrier"};
    static_assert(std::size(names) == kinds);
    text +=
        fmt::format(" {}({})", names[static_cast<std::size_t>(action.kind)], fmt::join(action.picks, ", "));
    for (const Actions& block : action.blocks) text += "{" + text_of(block) + " }";
  }
  return text;
}

}  // namespace

Draft drawn(const std::vector<int>& mesh, int actions, std::uint64_t seed) {
  Drawer drawer(seed);
  Draft draft{mesh, static_cast<int>(mesh.size())};
  if (drawer.below(4) == 0) --draft.bound;
  if (drawer.below(5) == 0) draft.dtype = DType::f32;
  for (int i = 0; i < 3; ++i) {
    std::array<int, 4>& input = draft.inputs.emplace_back();
    for (int& number : input) number = drawer.below(8);
  }
  draft.actions = drawer.actions(actions, 0);
  draft.values = static_cast<std::uint64_t>(drawer.below(1 << 20));
  return draft;
}

std::vector<Draft> simpler(const Draft& draft) {
  std::vector<Draft> all;
  for (Actions& actions : simpler_actions(draft.actions)) {
    all.push_back(draft);
    all.back().actions = std::move(actions);
  }
  for (std::size_t i = 0; i < draft.mesh.size(); ++i)
    for (int size = 1; size < draft.mesh[i]; ++size) {
      all.push_back(draft);
      all.back().mesh[i] = size;
    }
  for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
    if (draft.inputs.size() > 1) {
      all.push_back(draft);
      all.back().inputs.erase(all.back().inputs.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t k = 0; k < draft.inputs[i].size(); ++k)
      for (int number : {0, draft.inputs[i][k] / 2, draft.inputs[i][k] - 1}) {
        if (number < 0 || number >= draft.inputs[i][k]) continue;
        all.push_back(draft);
        all.back().inputs[i][k] = number;
      }
  }
  return all;
}

std::string to_string(const Draft& draft) {
  std::string inputs;
  for (const auto& input : draft.inputs) inputs += fmt::format(" {}", fmt::join(input, ""));
  return fmt::format("mesh {}, {} bound, {}, inputs{}, values {}:{}", fmt::join(draft.mesh, "x"), draft.bound,
                     name(draft.dtype), inputs, draft.values, text_of(draft.actions));
}

}  // namespace tutti::generated
