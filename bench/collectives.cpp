// SPDX-License-Identifier: Apache-2.0
// Times collectives, and the two-worker copy of as many bytes, block by block as tools/bench asks for them.
// One command per line of standard input, one answer in JSON per line:
//   prepare NAME DEVICES DTYPE BYTES LINKS   {} or {"error": ..}: compiles and checks the values
//   measure                                  {"us": per link, "handoff_ns": [before, after]}
//   copy                                     {"us": .., "stores": "plain" or "streaming"}
//   explain                                  the plan, a string
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/collective_chains.hpp"
#include "bench/copy.hpp"
#include "bench/processors.hpp"
#include "bench/timing.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"

namespace tutti::bench {
namespace {

using Json = nlohmann::json;

/// The time of a barrier of all workers, in ns: about 45 where they share a cache ("near"), 200 where they do
/// not.
double handoff_ns(Team& team) {
  struct Probe {
    Team& team;
    int barriers;
  } probe{team, 1000};
  const auto work = [](void* context, int worker) {
    const Probe& p = *static_cast<Probe*>(context);
    for (int i = 0; i < p.barriers; ++i)
      if (!p.team.barrier(worker)) return;
  };
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const Clock::time_point start = Clock::now();
    team.run(work, &probe, a_second);
    best = std::min(best, microseconds_since(start) * 1e3 / probe.barriers);
  }
  return best;
}

class Session {
 public:
  /// Once the team has its workers: the caller is worker 0, on its first processor as they are on the others.
  /// Else it may share a processor with one of them.
  Session() { bind_to_first_processor(); }

  Json answer(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "prepare") return prepare(words);
    require(chain_ != nullptr, Code::argument,
            "nothing is prepared; say prepare NAME DEVICES DTYPE BYTES LINKS");
    if (command == "measure") return measure();
    if (command == "copy") return copy();
    if (command == "explain") return chain_->explain();
    fail(Code::argument, "'{}' is no command; there are prepare, measure, copy and explain", command);
  }

 private:
  Json prepare(std::istream& words) {
    std::string name, dtype_name;
    int devices = 0, links = 0;
    std::size_t bytes = 0;
    words >> name >> devices >> dtype_name >> bytes >> links;
    const auto* collective = std::ranges::find(collectives, name, &Collective::name);
    const std::optional<DType> dtype = dtype_named(dtype_name);
    require(words && collective != collectives.end() && dtype, Code::argument,
            "prepare takes NAME DEVICES DTYPE BYTES LINKS; '{}' or '{}' is unknown, or something is missing",
            name, dtype_name);
    chain_.reset();  // its memory goes to the next
    const Start start{devices, static_cast<std::int64_t>(bytes / bytes_per_element(*dtype))};
    find_operand(*collective, start, *dtype);
    if (collective->roundings > 0) check(Chain(*collective, start, 1, operand_, team_));
    chain_ = std::make_unique<Chain>(*collective, start, links, operand_, team_);
    check(*chain_);
    find_memory_to_copy(collective->copied_bytes(devices, bytes));
    return Json::object();
  }

  /// That of the measurement before, if it is the same: large ones take a second.
  void find_operand(const Collective& collective, const Start& start, DType dtype) {
    const auto key =
        std::tuple(start.devices, collective.takes_blocks ? start.block() : start.elements, dtype);
    if (operand_ && operand_is_ == key) return;
    operand_.reset();
    operand_ = operand_of(collective, start, dtype);
    operand_is_ = key;
  }

  void find_memory_to_copy(std::size_t bytes) {
    if (from_.size < bytes) {
      for (Memory* memory : {&from_, &to_}) {
        memory->block.reset();
        *memory = {allocate_block(bytes), bytes};
        std::memset(memory->block.get(), 1, bytes);  // pages of its own
      }
    }
    copied_bytes_ = bytes;
  }

  static void check(Chain&& chain) { check(chain); }
  static void check(Chain& chain) {
    const std::string mistake = chain.mistake();
    ensure(mistake.empty(), "{}", mistake);
  }

  Json measure() {
    const double before = handoff_ns(team_);
    const double us = microseconds_each([&](int times) {
      const Clock::time_point start = Clock::now();
      for (int i = 0; i < times; ++i) chain_->run();
      return microseconds_since(start);
    });
    return {{"us", us / chain_->links()}, {"handoff_ns", {before, handoff_ns(team_)}}};
  }

  Json copy() {
    Copy copy{team_, to_.block.get(), from_.block.get(), copied_bytes_};
    const double us = copy.least_microseconds();
    return {{"us", us}, {"stores", copy.stores == Copy::Stores::plain ? "plain" : "streaming"}};
  }

  struct Memory {
    std::shared_ptr<std::byte> block;
    std::size_t size = 0;
  };

  Team team_;
  std::shared_ptr<const GlobalArray> operand_;
  std::tuple<int, std::int64_t, DType> operand_is_;
  std::unique_ptr<Chain> chain_;
  Memory from_, to_;
  std::size_t copied_bytes_ = 0;
};

}  // namespace
}  // namespace tutti::bench

int main() {
  tutti::bench::Session session;
  for (std::string line; std::getline(std::cin, line);) {
    tutti::bench::Json answer;
    try {
      answer = session.answer(line);
    } catch (const tutti::Error& error) {
      answer = tutti::bench::Json::object({{"error", error.what()}});
    }
    std::cout << answer << std::endl;
  }
}
