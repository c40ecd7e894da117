// SPDX-License-Identifier: Apache-2.0
// A report as JSON. docs/page_format.md describes the members.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/base/overloaded.hpp"
#include "tutti/page/save_page.hpp"
#include "tutti/page/source_lines.hpp"

namespace tutti {
namespace {

using Json = nlohmann::ordered_json;

/// The rows that the ops of steps are. Ops and rows of one name and line have the same order.
class StepRows {
 public:
  explicit StepRows(const Report::Part* part) {
    if (!part) return;
    for (std::size_t i = 0; i < part->rows.size(); ++i)
      rows_[{part->rows[i].op, to_string(part->rows[i].where)}].push_back(i);
  }

  std::optional<std::size_t> of(const Report::StepOp& op) const {
    const auto found = rows_.find({op.name, to_string(op.where)});
    if (found == rows_.end()) return std::nullopt;
    return found->second[std::min(op.nth, found->second.size() - 1)];
  }
  std::vector<std::size_t> of(const Report::Step& step) const {
    std::set<std::size_t> rows;
    for (const Report::StepOp& op : step.ops)
      if (const std::optional<std::size_t> row = of(op)) rows.insert(*row);
    return {rows.begin(), rows.end()};
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> rows_;  // by op and line
};

/// Writes a report. A file's name stands once, in the list of files.
class ReportJson {
 public:
  explicit ReportJson(const Report& report) : report_(report) {}

  Json whole() {
    Json all;
    all["version"] = 1;
    all["machine"] = report_.machine;
    all["mesh"] = mesh();
    if (!report_.mesh.is_in_device_order()) all["devices"] = devices();
    const auto* refusal = std::get_if<Report::Refusal>(&report_.outcome);
    Json program = part(report_.program, refusal && refusal->has_row),
         outcome = std::visit([&](const auto& each) { return of(each); }, report_.outcome);
    const Json arguments = borders(report_.arguments), results = borders(report_.results);
    Json exchanges = this->exchanges();
    all["files"] = files_;
    all["sources"] = sources();
    all["program"] = std::move(program);
    if (!arguments.empty()) all["arguments"] = arguments;
    if (!results.empty()) all["results"] = results;
    if (!exchanges.empty()) all["exchanges"] = std::move(exchanges);
    all["outcome"] = std::move(outcome);
    if (!report_.remarks.empty()) all["remarks"] = report_.remarks;
    return all;
  }

 private:
  // ---- small parts

  Json mesh() const {
    Json axes = Json::array();
    for (const Axis& axis : report_.mesh.axes()) axes.push_back({axis.name, axis.size});
    return axes;
  }

  Json devices() const {
    Json ids = Json::array();
    for (int position = 0; position < report_.mesh.devices(); ++position)
      ids.push_back(report_.mesh.device_id(position));
    return ids;
  }

  static Json names(const Axes& axes) {
    Json list = Json::array();
    for (const Axis& axis : axes) list.push_back(axis.name);
    return list;
  }

  static Json sharding(const Sharding& sharding) {
    Json dims = Json::array(), all;
    for (const Axes& axes : sharding.dims) dims.push_back(names(axes));
    all["text"] = to_string(sharding);
    all["dims"] = dims;
    if (!sharding.unreduced.empty()) all["unreduced"] = names(sharding.unreduced);
    if (!sharding.reduced.empty()) all["reduced"] = names(sharding.reduced);
    if (!(sharding.mesh.whole() == sharding.mesh)) all["mesh"] = to_string(sharding.mesh);
    return all;
  }

  /// ["file", line], the file as its number.
  void add_place(Json& to, const Where& where) {
    if (!where.known()) return;
    const std::string file = where.file ? where.file : "";
    auto found = std::ranges::find(files_, file);
    if (found == files_.end()) found = files_.insert(found, file);
    const auto number = static_cast<std::size_t>(found - files_.begin());
    to["at"] = where.column > 0 ? Json{number, where.line, where.column} : Json{number, where.line};
    lines_[file].insert(where.line);
  }

  Json sources() const {
    Json all = Json::array();
    for (const std::string& file : files_) {
      Json lines = Json::object();
      for (const auto& [line, text] : source_lines(file, lines_.at(file))) lines[std::to_string(line)] = text;
      all.push_back(std::move(lines));
    }
    return all;
  }

  // ---- the program

  Json value(const Report::Value& value) const {
    std::string states;
    for (const Axis& axis : report_.mesh.axes()) states += letter(value.type.at(axis));
    return Json{value.number, to_string(ops::Type(value.type.dtype(), value.type.shape())), states};
  }

  Json values(const std::vector<Report::Value>& list) const {
    Json all = Json::array();
    for (const Report::Value& each : list) all.push_back(value(each));
    return all;
  }

  /// is_refused: at its last row.
  Json part(const Report::Part& part, bool is_refused) {
    Json all, rows = Json::array();
    if (!part.name.empty()) all["name"] = part.name;
    all["inputs"] = values(part.inputs);
    for (const Report::Row& each : part.rows)
      rows.push_back(row(each, is_refused && &each == &part.rows.back()));
    all["rows"] = std::move(rows);
    all["outputs"] = part.outputs;
    if (!part.numbers.empty()) all["numbers"] = part.numbers;
    if (part.trips != 1) all["trips"] = part.trips;
    return all;
  }

  /// is_refused: the row, or the last of its parts.
  Json row(const Report::Row& row, bool is_refused) {
    Json all{{"op", row.op}};
    Json parameters = Json::array(), parts = Json::array();
    for (const auto& [name, text] : row.parameters) parameters.push_back({name, text});
    if (!parameters.empty()) all["p"] = std::move(parameters);
    if (!row.operands.empty()) all["operands"] = row.operands;
    if (!row.results.empty()) all["results"] = values(row.results);
    add_place(all, row.where);
    if (row.collective) all["traffic"] = traffic(*row.collective);
    for (const Report::Part& each : row.parts)
      parts.push_back(part(each, is_refused && &each == &row.parts.back()));
    if (!parts.empty()) all["parts"] = std::move(parts);
    if (!row.numbers.empty()) all["numbers"] = row.numbers;
    if (is_refused && row.parts.empty()) all["refused"] = true;
    return all;
  }

  static Json traffic(const Report::Collective& collective) {
    const ops::Traffic& traffic = collective.traffic;
    Json all{{"axes", names(collective.axes)}, {"sent", traffic.sent}, {"received", traffic.received}};
    if (traffic.depends_on_values) all["at_most"] = true;
    if (const auto* groups = std::get_if<ops::Groups>(&traffic.peers)) {
      if (!groups->empty()) all["groups"] = *groups;
      return all;
    }
    all["groups"] = Json::array();
    for (const auto& [from, to] : std::get<Pairs>(traffic.peers)) all["groups"].push_back({from, to});
    all["pairs"] = true;
    return all;
  }

  static Json borders(const std::vector<Report::Border>& borders) {
    Json all = Json::array();
    for (const Report::Border& border : borders) {
      Json each;
      if (!border.name.empty()) each["name"] = border.name;
      each["value"] = border.number;
      if (border.sharding) each["sharding"] = sharding(*border.sharding);
      all.push_back(std::move(each));
    }
    return all;
  }

  // ---- the plan

  Json of(const Report::StepPlan& plan) {
    Json all{{"kind", "steps"}, {"workers", plan.workers}, {"about", std::llround(plan.estimated)}};
    if (plan.measured && plan.measured->call) {
      all["took"] = std::llround(*plan.measured->call);
      all["calls"] = plan.measured->calls;
    }
    all["phases"] = plan.plan.phases;
    all["steps"] = steps(plan.plan, &report_.program);
    if (!plan.buffers.empty()) all["buffers"] = buffers(plan);
    const Report::Memory& memory = plan.memory;
    all["memory"] = {{"arguments", memory.arguments},
                     {"results", memory.results},
                     {"arena", memory.arena},
                     {"scratch", memory.scratch},
                     {"inside", memory.inside}};
    if (plan.transfers)
      all["transfers"] = {{"sent", plan.transfers->sent}, {"received", plan.transfers->received}};
    add_copies(all, plan.copies);
    if (!plan.conditions.empty()) all["notes"] = plan.conditions;
    return all;
  }

  Json buffers(const Report::StepPlan& plan) const {
    const StepRows rows(&report_.program);
    Json all = Json::array();
    for (const Report::Buffer& buffer : plan.buffers) {
      all.push_back({{"offset", buffer.offset},
                     {"bytes", buffer.bytes},
                     {"first", buffer.first},
                     {"last", buffer.last},
                     {"value", buffer.value},
                     {"kind", buffer.is_constant ? "constant" : "arena"}});
      const auto row = buffer.op ? rows.of(*buffer.op) : std::nullopt;
      if (row) all.back()["row"] = *row;
      if (row && buffer.result > 0) all.back()["result"] = buffer.result;
    }
    return all;
  }

  /// `part`: the rows that the plan runs; null if they are not known.
  Json steps(const Report::SubPlan& plan, const Report::Part* part) {
    const StepRows rows(part);
    Json all = Json::array();
    for (const Report::Step& each : plan.steps) all.push_back(step(each, rows.of(each), part));
    return all;
  }

  Json step(const Report::Step& step, const std::vector<std::size_t>& rows, const Report::Part* part) {
    Json ops = Json::array(), parts = Json::array();
    for (const Report::StepOp& op : step.ops) ops.push_back(op.name);
    Json all{{"phase", step.phase}, {"kind", step.kind}, {"split", step.split}, {"ops", std::move(ops)}};
    if (!rows.empty()) all["rows"] = rows;
    add_place(all, step.where);
    all["bytes"] = step.bytes;
    all["live"] = step.arena_in_use;
    all["about"] = rounded(step.estimated);
    if (!step.measured_parts.empty()) all["took"] = rounded(step.measured_parts);
    if (step.transfers)
      all["transfers"] = {{"sent", step.transfers->sent}, {"received", step.transfers->received}};
    for (std::size_t i = 0; i < step.parts.size(); ++i) {
      const Report::SubPlan& inside = step.parts[i];
      const bool is_known = rows.size() == 1 && i < part->rows[rows[0]].parts.size();
      parts.push_back({{"name", inside.name},
                       {"phases", inside.phases},
                       {"steps", steps(inside, is_known ? &part->rows[rows[0]].parts[i] : nullptr)}});
    }
    if (!parts.empty()) all["parts"] = std::move(parts);
    return all;
  }

  /// Whole nanoseconds.
  static Json rounded(const std::vector<double>& times) {
    Json all = Json::array();
    for (double time : times) all.push_back(std::llround(time));
    return all;
  }

  static void add_copies(Json& to, const Report::Copies& copies) {
    for (const Report::Copied& copy : copies.by_last_call)
      to["copies"].push_back({{"name", copy.name}, {"bytes", copy.bytes}, {"as", sharding(copy.as)}});
  }

  Json exchanges() {
    Json all = Json::array();
    for (const Report::Exchange& each : report_.exchanges) all.push_back(exchange(each));
    if (const auto* plan = std::get_if<Report::StepPlan>(&report_.outcome)) add_exchanges(all, plan->plan);
    return all;
  }

  void add_exchanges(Json& all, const Report::SubPlan& plan) {
    for (const Report::Exchange& each : plan.exchanges) all.push_back(exchange(each));
    for (const Report::Step& step : plan.steps)
      for (const Report::SubPlan& part : step.parts) add_exchanges(all, part);
  }

  Json exchange(const Report::Exchange& exchange) {
    Json all, steps = Json::array();
    add_place(all, exchange.where);
    all["type"] = to_string(exchange.type);
    all["from"] = sharding(exchange.from);
    all["to"] = sharding(exchange.to);
    all["received"] = exchange.received;
    for (const Report::Exchange::Step& step : exchange.steps)
      steps.push_back({{"op", step.op},
                       {"after", sharding(step.after)},
                       {"axes", names(step.axes)},
                       {"sent", step.sent},
                       {"received", step.received},
                       {"about", std::llround(step.estimated)}});
    all["steps"] = std::move(steps);
    return all;
  }

  // ---- other outcomes

  Json of(const Report::XlaPlan& plan) {
    Json all{{"kind", "xla"}, {"compiled", std::llround(plan.compile)}};
    all["notes"] = {plan.machine, std::string(plan.is_from_cache ? "read from the cache: " : "compiled: ") +
                                      in_bytes(plan.text_bytes) + " of StableHLO"};
    for (const Report::XlaPlan::Memory& each : plan.memory) all["memory"][each.what] = each.bytes;
    all["costs"] = Json::array();
    for (const auto& [name, text] : plan.costs) all["costs"].push_back({name, text});
    add_copies(all, plan.copies);
    return all;
  }

  Json of(const Report::Refusal& refusal) {
    Json all{{"kind", "refused"},
             {"code", Error(refusal.code, {}, "").label()},
             {"message", refusal.message},
             {"notes", refusal.notes}};
    add_place(all, refusal.where);
    return all;
  }

  static Json of(const Report::Traced&) { return {{"kind", "traced"}}; }

  const Report& report_;
  std::vector<std::string> files_;
  std::map<std::string, std::set<int>> lines_;  // by file
};

}  // namespace

std::string to_json(const Report& report) {
  return ReportJson(report).whole().dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tutti
