// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/plan/plan_json.hpp"

#include <nlohmann/json.hpp>

#include "tutti/plan/take_step.hpp"
#include "tutti/plan/text.hpp"
#include "tutti/types/parts.hpp"

namespace tutti::cli {
namespace {

using Json = nlohmann::ordered_json;

Type block_of(const ReshardPlan& plan, const Sharding& sharding) {
  return padded_local_type(plan.request.whole, sharding);
}

Json totals_json(const PlanTotals& totals) {
  return {{"steps", totals.steps},
          {"local", totals.local},
          {"bytes", totals.bytes},
          {"seconds", totals.seconds}};
}

Json step_json(const ReshardPlan& plan, const PlanStep& step) {
  Json axes = Json::array();
  for (const std::string& name : merged_names(step.axes)) axes.push_back(name);
  return {{"op", op_name(step)},
          {"axes", axes},
          {"groups", step.groups},
          {"moves", moves_of(step)},
          {"before", to_string(step.before)},
          {"after", to_string(step.after)},
          {"block_before", block_of(plan, step.before).shape().sizes()},
          {"block_after", block_of(plan, step.after).shape().sizes()},
          {"sent_bytes", step.sent_bytes},
          {"received_bytes", step.received_bytes},
          {"peers", step.peers},
          {"scratch_bytes", step.scratch_bytes},
          {"seconds", step.seconds}};
}

Json steps_json(const ReshardPlan& plan, const std::vector<PlanStep>& steps) {
  Json list = Json::array();
  for (const PlanStep& step : steps) list.push_back(step_json(plan, step));
  return list;
}

Json request_json(const PlanRequest& request) {
  Json links = Json::object();
  for (const auto& [axis, cost] : request.options.links) links[axis] = cost;
  Json text{{"mesh", to_string(request.from.mesh.whole())},
            {"shape", request.whole.shape().sizes()},
            {"dtype", name(request.whole.dtype())},
            {"from", to_string(request.from)},
            {"to", to_string(request.to)},
            {"objective", name(request.options.objective)},
            {"cap", request.options.cap},
            {"links", links},
            {"direct", request.options.direct},
            {"parts", request.options.parts}};
  if (!(request.from.mesh.whole() == request.to.mesh.whole()))
    text["to_mesh"] = to_string(request.to.mesh.whole());
  return text;
}

}  // namespace

nlohmann::ordered_json plan_json(const ReshardPlan& plan) {
  Json others = Json::array();
  for (const ReshardPlan::Other& other : plan.others)
    others.push_back({{"steps", steps_json(plan, other.steps)},
                      {"totals", totals_json(other.totals)},
                      {"why", other.why}});
  return {{"request", request_json(plan.request)},
          {"steps", steps_json(plan, plan.steps)},
          {"totals", totals_json(plan.totals)},
          {"peak_block_bytes", plan.peak_block_bytes},
          {"peak_bytes", plan.peak_bytes},
          {"one_collective", {{"ours", one_collective(plan)}, {"nvfuser", classify(plan.request).nvfuser}}},
          {"others", others}};
}

}  // namespace tutti::cli
