// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/plan.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/cli/plan/plan_json.hpp"
#include "tutti/cli/plan/plan_page.hpp"
#include "tutti/cli/plan/plan_picture.hpp"
#include "tutti/cli/plan/plan_request.hpp"
#include "tutti/cli/plan/plan_run.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/page/save_page.hpp"
#include "tutti/plan/request/links.hpp"
#include "tutti/plan/text.hpp"

namespace tutti::cli {
namespace {

constexpr std::string_view in_place = "every element is where it belongs";

// Those of both meshes.
std::int64_t devices_of(const PlanRequest& request) {
  std::set<int> devices = devices_in(request.from.mesh);
  devices.merge(devices_in(request.to.mesh));
  return std::ssize(devices);
}

}  // namespace

int plan(const PlanArguments& arguments) {
  const ReshardPlan found = tutti::plan(request_of(arguments));
  if (arguments.run) check_by_running(found);
  if (!arguments.svg.empty()) write_picture(arguments.svg, found);
  if (!arguments.page.empty()) save_page(arguments.page, report_of(found), Where{});
  if (arguments.json) {
    nlohmann::ordered_json text = plan_json(found);
    if (arguments.run) text["run"] = in_place;
    fmt::print("{}\n", text.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
  }
  fmt::print("{}", to_string(found));
  if (arguments.why) fmt::print("{}", why(found));
  if (arguments.run)
    fmt::print("run:   on {}; {}\n", counted(devices_of(found.request), "virtual device"), in_place);
  return 0;
}

}  // namespace tutti::cli
