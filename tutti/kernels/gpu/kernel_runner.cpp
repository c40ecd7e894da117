// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/gpu/runner.hpp"

namespace tutti::kernels {
namespace {

/// Tables of the output addresses of all ranks, one copy per rank. Calls with the same outputs share a table.
class OutputTables {
 public:
  explicit OutputTables(Group& group) : group_(group) {
    for (int rank = 0; rank < group.world(); ++rank) {
      tables_.push_back(allocate(group.device(rank), most_tables * bytes_of_table()));
      sources_.push_back(allocate_host(group.device(rank), most_tables * bytes_of_table()));
    }
  }

  /// The number of the table with these outputs. If all tables are taken, waits for the group and forgets all
  /// tables.
  std::int64_t number_of(std::span<const DeviceAddress> outputs) {
    std::vector<DeviceAddress> key(outputs.begin(), outputs.end());
    if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
    if (static_cast<std::int64_t>(numbers_.size()) == most_tables) {
      group_.wait();
      numbers_.clear();
    }
    const auto number = static_cast<std::int64_t>(numbers_.size());
    upload(number, outputs);
    numbers_.emplace(std::move(key), number);
    return number;
  }
  DeviceAddress address(int rank, std::int64_t number) const {
    return tables_[static_cast<std::size_t>(rank)].get() +
           static_cast<DeviceAddress>(number * bytes_of_table());
  }

 private:
  static constexpr std::int64_t most_tables = 64;
  std::int64_t bytes_of_table() const {
    return (std::int64_t{group_.world()} * 8 + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  }
  void upload(std::int64_t number, std::span<const DeviceAddress> outputs) {
    for (int rank = 0; rank < group_.world(); ++rank) {
      auto* source =
          static_cast<std::byte*>(sources_[static_cast<std::size_t>(rank)].get()) + number * bytes_of_table();
      std::memcpy(source, outputs.data(), outputs.size_bytes());
      const OnDevice current(*group_.device(rank));
      group_.driver().copy_to_device(address(rank, number), source, outputs.size_bytes(),
                                     group_.stream(rank));
    }
  }

  Group& group_;
  std::vector<DeviceMemory> tables_;
  std::vector<HostMemory> sources_;  // pinned; queued copies read them
  std::map<std::vector<DeviceAddress>, std::int64_t> numbers_;
};

class KernelRunner final : public Runner {
 public:
  KernelRunner(Group& group, KernelChoice choice) : group_(group), choice_(std::move(choice)) {
    ensure(choice_.manifest.needs == CompilerNeeds{}, "{}: our PTX needs neither scratch nor shared memory",
           choice_.manifest.name);
    const bool stores_into_outputs =
        std::ranges::any_of(choice_.manifest.arguments, [](const LaunchArgument& argument) {
          return argument.kind == ArgumentKind::output_table;
        });
    if (stores_into_outputs) {
      group.wait();  // memory is allocated while nothing runs
      tables_.emplace(group);
    }
  }

  // Launches the first kernels of all ranks before any second kernel. On a shared device the second kernels
  // also begin after all first ones are done, so a second kernel finds every peer of its device published.
  void launch(std::span<const DeviceAddress> inputs, std::span<const DeviceAddress> outputs) override {
    const std::int64_t table = tables_ ? tables_->number_of(outputs) : 0;
    const Group::Call call = group_.begin(choice_.manifest);
    try {
      for (std::size_t entry = 0; entry < choice_.manifest.entries.size(); ++entry) {
        if (entry > 0)
          for (const std::vector<int>& ranks : group_.ranks_by_device()) group_.meet(ranks);
        for (int rank = 0; rank < group_.world(); ++rank) {
          const auto at = static_cast<std::size_t>(rank);
          launch(rank, entry, {inputs[at], outputs[at], call, table});
        }
      }
    } catch (const Error& error) {  // some ranks have launched, and others have not
      group_.set_broken(error.what());
      throw;
    }
  }

 private:
  struct RankCall {
    DeviceAddress input, output;
    Group::Call call;
    std::int64_t output_table;
  };

  // Passes every value in 64 bits: the driver reads only the low bytes that the kernel's parameter has.
  void launch(int rank, std::size_t entry, const RankCall& call) {
    const Manifest& manifest = choice_.manifest;
    std::vector<std::uint64_t> values;
    for (const LaunchArgument& argument : manifest.arguments)
      values.push_back(value_of(argument.kind, rank, call));
    std::vector<void*> pointers;
    for (std::uint64_t& value : values) pointers.push_back(&value);
    const FunctionHandle function = choice_.loaded.functions[static_cast<std::size_t>(rank)][entry];
    const auto grid = static_cast<unsigned>(manifest.launch.grid);
    const auto threads = static_cast<unsigned>(manifest.launch.warps * threads_per_warp(manifest.target));
    const Driver& driver = group_.driver();
    const OnDevice current(*group_.device(rank));
    if (choice_.is_cooperative)
      driver.launch_cooperative(function, grid, 1, 1, threads, 1, 1, 0, group_.stream(rank), pointers.data());
    else driver.launch(function, grid, 1, 1, threads, 1, 1, 0, group_.stream(rank), pointers.data(), nullptr);
  }

  std::uint64_t value_of(ArgumentKind kind, int rank, const RankCall& call) const {
    switch (kind) {
      case ArgumentKind::input: return call.input;
      case ArgumentKind::output: return call.output;
      case ArgumentKind::rank: return static_cast<std::uint64_t>(rank);
      case ArgumentKind::sequence: return call.call.sequence;
      case ArgumentKind::half: return static_cast<std::uint64_t>(call.call.half);
      case ArgumentKind::signal_table:
      case ArgumentKind::staging_table:
      case ArgumentKind::inbox_table: return group_.memory().table(kind, rank);
      case ArgumentKind::output_table: return tables_->address(rank, call.output_table);
      case ArgumentKind::wait_limit: return wait_limit();
      case ArgumentKind::error: break;
    }
    return group_.memory().error_words(rank);
  }

  // The limit is in nanoseconds or in polls. A poll of the own device's memory takes about 500 ns (not
  // measured here).
  std::uint64_t wait_limit() const {
    constexpr double ns_per_poll = 500;
    const bool counts_polls =
        choice_.manifest.encoding != Encoding::poll || choice_.manifest.spec.variant == Variant::packets;
    const double ns = std::min(group_.options().timeout_s, 1e9) * 1e9;  // 30 years fit 63 bits
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(counts_polls ? ns / ns_per_poll : ns));
  }

  Group& group_;
  KernelChoice choice_;
  std::optional<OutputTables> tables_;
};

}  // namespace

std::unique_ptr<Runner> kernel_runner(Group& group, KernelChoice choice) {
  return std::make_unique<KernelRunner>(group, std::move(choice));
}

}  // namespace tutti::kernels
