// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/donation.hpp"

#include <algorithm>
#include <numeric>

namespace tutti {
namespace {

/// Per output: the inputs that the output may be written over.
std::vector<std::vector<std::size_t>> choices(const LocalProgram& local, const Plan& plan) {
  const Graph& graph = plan.graph();
  MayOverwrite may_overwrite = tutti::may_overwrite(graph, plan.steps(), plan.placement());
  std::vector<std::vector<std::size_t>> choices(graph.outputs.size());
  for (BufferId b : graph.buffers.ids()) {
    const Buffer& buffer = graph.buffers[b];
    if (buffer.kind != Buffer::Kind::input) continue;
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (are_handed_out_alike(local, buffer.number, i) && may_overwrite(b, graph.outputs[i]))
        choices[i].push_back(buffer.number);
  }
  return choices;
}

}  // namespace

std::vector<std::optional<std::size_t>> inputs_to_overwrite(const LocalProgram& local, const Plan& plan) {
  std::vector<std::vector<std::size_t>> inputs = choices(local, plan);
  std::vector<std::size_t> fewest_choices_first(inputs.size());
  std::iota(fewest_choices_first.begin(), fewest_choices_first.end(), 0);
  std::ranges::stable_sort(fewest_choices_first, {}, [&](std::size_t i) { return inputs[i].size(); });
  std::vector<std::optional<std::size_t>> chosen(inputs.size());
  for (std::size_t i : fewest_choices_first) {
    auto is_free = [&](std::size_t input) { return std::ranges::find(chosen, input) == chosen.end(); };
    auto first = std::ranges::find_if(inputs[i], is_free);
    if (first != inputs[i].end()) chosen[i] = *first;
  }
  return chosen;
}

}  // namespace tutti
