// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/donation.hpp"

#include <algorithm>

#include "tutti/run/place/pairing.hpp"

namespace tutti {
namespace {

/// Numbers the kinds of inputs and outputs: an input may be overwritten by an output of its own kind.
class KindNumbers {
 public:
  std::size_t operator()(Type type, const Sharding& sharding) {
    const auto is_known = [&](const Kind& kind) { return kind.type == type && *kind.sharding == sharding; };
    const auto found = std::ranges::find_if(kinds_, is_known);
    if (found != kinds_.end()) return static_cast<std::size_t>(found - kinds_.begin());
    kinds_.push_back({type, &sharding});
    return kinds_.size() - 1;
  }

 private:
  struct Kind {
    Type type;
    const Sharding* sharding;
  };
  std::vector<Kind> kinds_;
};

}  // namespace

std::vector<std::optional<std::size_t>> inputs_to_overwrite(const LocalProgram& local, const Plan& plan) {
  const Graph& graph = plan.graph();
  const Reuse reuse(graph, plan.steps(), plan.placement());
  const std::vector<BufferId> buffers = input_buffers(graph);
  KindNumbers kinds;
  Pairing pairing;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    pairing.inputs.push_back(
        {kinds(local.input_types[i], local.input_shardings[i]), reuse.last_access(buffers[i])});
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    pairing.outputs.push_back({kinds(local.output_types[i], local.output_shardings[i]),
                               reuse.making(graph.outputs[i]), reuse.inputs_near(graph.outputs[i])});
  pairing.may = [&](std::size_t input, std::size_t output) {
    return reuse.may_overwrite(buffers[input], graph.outputs[output]);
  };
  return paired(pairing);
}

}  // namespace tutti
