// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/explain.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/overloaded.hpp"
#include "tutti/base/short_place.hpp"
#include "tutti/run/watch/copies.hpp"
#include "tutti/run/watch/describe.hpp"

namespace tutti {
namespace {

constexpr std::size_t line_length = 120;

std::string in_microseconds(std::optional<double> nanoseconds) {
  return nanoseconds ? fmt::format("{:.2f}", *nanoseconds / 1e3) : "-";
}

std::string columns(const std::string& bytes, const std::string& live, const std::string& about,
                    const std::string& took) {
  return fmt::format("{:>10} {:>10} {:>9} {:>9}  ", bytes, live, about, took);
}

std::string below(const std::string& indent, const std::string& text) {
  return columns("", "", "", "") + indent + text + "\n";
}

std::string file_and_line(const Where& where) { return where.known() ? " (" + short_place(where) + ")" : ""; }

/// The first ops of a step, as far as `room` permits, and the user's line.
std::string ops_and_place(const Report::Step& step, std::size_t room) {
  const std::string place = file_and_line(step.where);
  std::string ops;
  for (std::size_t most = 12; most > 0; --most) {
    ops = named(step.ops, most);
    if (ops.size() + place.size() <= room) break;
  }
  return ops + place;
}

std::string exchange_line(const Report::Exchange& exchange) {
  std::string steps;
  for (const Report::Exchange::Step& step : exchange.steps) steps += (steps.empty() ? "" : ", ") + step.op;
  const std::string place = exchange.where.known() ? " (" + to_string(exchange.where) + ")" : "";
  return fmt::format("exchange{} as messages: {}; {} received by a device", place,
                     steps.empty() ? "none" : steps, in_bytes(exchange.received));
}

/// The lines of a plan. The lines of sub-programs follow those of their step.
std::string plan_lines(const Report::SubPlan& plan, const std::string& indent) {
  std::size_t split_width = 0;
  for (const Report::Step& step : plan.steps) split_width = std::max(split_width, step.split.size());
  std::string text;
  std::size_t next = 0;
  for (std::size_t phase = 0; phase < plan.phases; ++phase) {
    text += below(indent, fmt::format("phase {}", phase));
    for (; next < plan.steps.size() && plan.steps[next].phase == phase; ++next) {
      const Report::Step& step = plan.steps[next];
      const std::string line =
          columns(in_bytes(step.bytes), in_bytes(step.arena_in_use),
                  in_microseconds(std::ranges::max(step.estimated)), in_microseconds(step.measured)) +
          fmt::format("{}  {:<{}}  {:<7} ", indent, step.split, split_width, step.kind);
      text += line + ops_and_place(step, line_length - std::min(line_length, line.size())) + "\n";
      for (const Report::SubPlan& part : step.parts)
        text += below(indent, "    " + part.name) + plan_lines(part, indent + "      ");
    }
  }
  for (const Report::Exchange& exchange : plan.exchanges) text += below(indent, exchange_line(exchange));
  return text;
}

std::string workers(const Report::StepPlan& plan) { return counted(plan.workers, "worker"); }

std::string times(const Report::StepPlan& plan) {
  std::string text =
      fmt::format("about {} us a call on {}, ", in_microseconds(plan.estimated), workers(plan));
  if (!plan.measured) return text + "not measured (MachineOptions::measure)\n";
  const auto [calls, of_last, call] = *plan.measured;
  if (calls == 0) return text + "not run yet\n";
  const std::string of = calls > of_last ? fmt::format("the last {} of ", of_last) : "";
  return text +
         fmt::format("took {} us (median of {}{})\n", in_microseconds(call), of, counted(calls, "call"));
}

/// "sends 48 B to other processes and receives 48 B, in 1 transfer a call". Empty if there are none.
std::string messages(const Report::StepPlan& plan) {
  if (!plan.transfers)
    return plan.has_inner_transfers ? "sends to other processes in loops and branches\n" : "";
  return fmt::format("sends {} to other processes and receives {}, in {} a call{}\n",
                     in_bytes(plan.transfers->sent), in_bytes(plan.transfers->received),
                     counted(plan.transfer_steps, "transfer"),
                     plan.has_inner_transfers ? "; more in loops and branches" : "");
}

std::string memory_line(const std::string& what, std::int64_t bytes, const std::string& note = "") {
  return fmt::format("  {:<12} {:>10}{}{}\n", what, in_bytes(bytes), note.empty() ? "" : "  ", note);
}

std::string memory(const Report::StepPlan& plan) {
  const Report::Memory& memory = plan.memory;
  std::int64_t most = 0;
  for (const Report::Step& step : plan.plan.steps) most = std::max(most, step.arena_in_use);
  std::string text =
      "memory\n" + memory_line("arguments", memory.arguments) + memory_line("results", memory.results);
  text += memory_line("arena", memory.arena,
                      fmt::format("at most {} at a time; {} in place of an operand", in_bytes(most),
                                  counted(memory.in_place, "result")));
  text += memory_line("scratch", memory.scratch, "of " + workers(plan));
  if (memory.inside > 0) text += memory_line("inside", memory.inside, "arenas and scratch of sub-programs");
  text += memory_line("in all", memory.total(), "of a call whose arguments lie as wanted and are kept");
  if (memory.held_copies + memory.held_results == 0) return text;
  return text + memory_line("held now", memory.held_copies + memory.held_results,
                            fmt::format("until the next calls: copies of arguments {}, buffers of results {}",
                                        in_bytes(memory.held_copies), in_bytes(memory.held_results)));
}

std::string text_of(const Report::StepPlan& plan) {
  std::string text = columns("bytes", "arena", "about us", "took us") +
                     "steps: bytes moved; arena in use meanwhile; time of the slowest worker\n" +
                     plan_lines(plan.plan, "") + times(plan);
  for (const std::string& condition : plan.conditions) text += condition + "\n";
  text += messages(plan) + memory(plan);
  if (plan.moved_inputs > 0)
    text += fmt::format("{} gathered inside: used whole beside being split\n",
                        counted(plan.moved_inputs, "input is", "inputs are"));
  return text + to_string(plan.copies);
}

std::string text_of(const Report::XlaPlan& plan) {
  std::string text =
      fmt::format("on {}\n{} by XLA in {:.1f} ms, after {:.1f} ms of preparation: {} of StableHLO\n",
                  plan.machine, plan.is_from_cache ? "read from the cache" : "compiled", plan.compile / 1e6,
                  plan.prepare / 1e6, in_bytes(plan.text_bytes));
  if (!plan.memory.empty()) text += "memory of one device, as XLA counts it\n";
  for (const Report::XlaPlan::Memory& each : plan.memory)
    text += memory_line(each.what, each.bytes, each.note);
  std::string costs;
  for (const auto& [name, value] : plan.costs)
    costs += fmt::format("{}{} {}", costs.empty() ? "" : ", ", name, value);
  if (!costs.empty()) text += "cost of one device, as XLA estimates it: " + costs + "\n";
  text += to_string(plan.copies);
  if (plan.kept_copies > 0)
    text += fmt::format("kept on the devices: {} of copies of arguments, while these live\n",
                        in_bytes(plan.kept_copies));
  return text;
}

/// "  all_reduce over 'model' (train.cpp:12): sends 2.5 KiB, receives 2.5 KiB".
std::string collective_line(const Report::Row& row) {
  const ops::Traffic& traffic = row.collective->traffic;
  const std::string_view most = traffic.depends_on_values ? "at most " : "";
  return fmt::format("  {} over {}{}: sends {}{}, receives {}{}\n", row.op, to_string(row.collective->axes),
                     file_and_line(row.where), most, in_bytes(traffic.sent), most,
                     in_bytes(traffic.received));
}

/// The collectives of the program that move most, and the bytes of all. A loop stands as one row, with the
/// bytes of all its trips. Empty if nothing is sent.
std::string collectives(const Report::Part& program) {
  constexpr std::size_t most_lines = 8;
  std::vector<const Report::Row*> rows;
  std::int64_t received = 0;
  for (const Report::Row& row : program.rows) {
    if (!row.collective || row.collective->traffic.received == 0) continue;
    rows.push_back(&row);
    if (!row.collective->traffic.depends_on_values) received += row.collective->traffic.received;
  }
  if (rows.empty()) return "";
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const Report::Row* row) { return row->collective->traffic.received; });
  std::string text = fmt::format("collectives: {}; a device with memory of its own receives at least {}\n",
                                 rows.size(), in_bytes(received));
  for (std::size_t i = 0; i < std::min(rows.size(), most_lines); ++i) text += collective_line(*rows[i]);
  if (rows.size() > most_lines) text += fmt::format("  .. and {} more\n", rows.size() - most_lines);
  return text;
}

}  // namespace

std::string explained(const Report& report) {
  std::string text = std::visit(Overloaded{[](const Report::StepPlan& plan) { return text_of(plan); },
                                           [](const Report::XlaPlan& plan) { return text_of(plan); },
                                           [](const Report::Refusal&) { return std::string(); },
                                           [](const Report::Traced&) { return std::string(); }},
                                report.outcome);
  text += collectives(report.program);
  for (const std::string& remark : report.remarks) text += remark + "\n";
  return text;
}

}  // namespace tutti
