// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/check/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "tutti/base/require.hpp"
#include "tutti/kernels/check/expected.hpp"

namespace tutti::kernels {
namespace {

/// Compares outputs with the definition. Keeps the expected pages for later schedules.
class Comparison {
 public:
  Comparison(GroupMemory& memory, bool is_sampled) : memory_(memory), is_sampled_(is_sampled) {}

  std::optional<FoundFault> difference(const CallData& data, int call, int rank, int output) {
    const auto bytes = static_cast<std::uint64_t>(data.output_bytes());
    if (!is_sampled_) {
      for (std::uint64_t at = 0; at < bytes; at += page_bytes)
        if (auto fault = difference(data, call, rank, output, memory_.page(output, at), bytes)) return fault;
      return {};
    }
    for (Page* page : memory_.touched())
      if (page->allocation == static_cast<std::uint32_t>(output))
        if (auto fault = difference(data, call, rank, output, *page, bytes)) return fault;
    return {};
  }

 private:
  std::optional<FoundFault> difference(const CallData& data, int call, int rank, int output, Page& page,
                                       std::uint64_t bytes) {
    const std::uint64_t size = std::min(page_bytes, bytes - page.begin);
    std::vector<std::byte>& expected = expected_[{call, output, page.begin}];
    if (expected.empty()) {
      expected.resize(size);
      data.fill_output(rank, page.begin, expected);
    }
    const auto granule = static_cast<std::uint64_t>(memory_[output].granule);
    for (std::uint64_t at = 0; at < size; at += granule) {
      const bool has_value = page.shadows[at / granule].has_value != 0;
      if (!has_value && is_sampled_) continue;
      const std::uint64_t count = std::min(granule, size - at);
      if (has_value && std::memcmp(page.bytes.data() + at, expected.data() + at, count) == 0) continue;
      return wrong(data, call, rank, page, at, expected, has_value);
    }
    return {};
  }

  static std::string hex(std::span<const std::byte> bytes) {
    std::string text = "0x";
    for (std::size_t i = bytes.size(); i-- > 0;) text += fmt::format("{:02x}", static_cast<int>(bytes[i]));
    return text;
  }

  FoundFault wrong(const CallData& data, int call, int rank, const Page& page, std::uint64_t at,
                   std::span<const std::byte> expected, bool has_value) const {
    const auto size = static_cast<std::uint64_t>(data.element_bytes());
    const std::uint64_t element = at / size;
    const std::span<const std::byte> want = expected.subspan(element * size, size);
    std::string text = fmt::format("rank {}, call {}: element {} of the output [{}]", rank, call,
                                   page.begin / size + element, to_string(data.output_shape()));
    if (!has_value)
      return {FaultKind::wrong_data,
              text + fmt::format("\nnobody wrote it in this call; expected {}", hex(want))};
    const std::span<const std::byte> found = std::span(page.bytes).subspan(element * size, size);
    text += fmt::format("\nis {}, expected {}", hex(found), hex(want));
    const std::string origin = data.find(found);
    if (!origin.empty()) text += "\nit is " + origin;
    return {FaultKind::wrong_data, std::move(text)};
  }

  GroupMemory& memory_;
  bool is_sampled_;
  std::map<std::tuple<int, int, std::uint64_t>, std::vector<std::byte>> expected_;
};

/// Makes the memory of a group and the arguments of its calls.
class Group {
 public:
  Group(std::span<const EmittedKernels> emitted, const CheckOptions& options, std::int64_t& timeouts)
      : emitted_(emitted),
        options_(options),
        timeouts_(timeouts),
        world_(emitted.front().manifest.spec.world) {}

  std::unique_ptr<GroupSetup> made() {
    compile();
    allocate_shared();
    for (int call = 0; call < options_.calls; ++call) add_call(call);
    for (KernelCall& call : setup_->calls) call.limits.resize(static_cast<std::size_t>(memory().count()));
    GroupSetup* setup = setup_.get();
    auto comparison = std::make_shared<Comparison>(memory(), options_.most_trips > 0);
    setup->compare = [setup, comparison, data = data_, errors = errors_, rules = rules_,
                      absent = options_.absent,
                      timeouts = &timeouts_](int call, int rank) -> std::optional<FoundFault> {
      const auto at = static_cast<std::size_t>(call);
      Errors found;
      if (auto fault = wrong_error(setup->memory, errors[static_cast<std::size_t>(rank)], rules[at], call,
                                   rank, absent.has_value(), found))
        return fault;
      *timeouts += found.of_call;
      if (found.of_all_calls > 0) return {};  // a rank that gave up a wait writes no more results
      const int output = setup->calls[at].outputs[static_cast<std::size_t>(rank)];
      return comparison->difference(data[at], call, rank, output);
    };
    return std::move(setup_);
  }

 private:
  struct ErrorRule {
    std::uint32_t first_of_all = 0, first = 0;  // signals: of the first call, of this one
    int signals = 1, world = 1;
  };
  struct Errors {
    std::int64_t of_call = 0, of_all_calls = 0;
  };

  GroupMemory& memory() { return setup_->memory; }
  const Manifest& manifest(int call) const {
    return emitted_[static_cast<std::size_t>(call) % emitted_.size()].manifest;
  }

  void compile() {
    setup_->world = world_;
    setup_->residency = options_.residency;
    setup_->block_order = options_.block_order;
    setup_->most_delay = options_.most_delay;
    setup_->absent = options_.absent;
    setup_->most_trips = options_.most_trips;
    setup_->wait_limit = options_.wait_limit;
    setup_->most_ops_of_turn = options_.most_ops_of_turn;
    for (const EmittedKernels& each : emitted_) {
      codes_.emplace_back();
      for (const Function& kernel : each.kernels) {
        ensure(kernel.arguments.size() == each.manifest.arguments.size(),
               "{}: {} arguments, the manifest has {}", kernel.name, kernel.arguments.size(),
               each.manifest.arguments.size());
        codes_.back().push_back(static_cast<int>(setup_->codes.size()));
        setup_->codes.push_back(code_of(kernel, world_ + 1));
      }
      ensure(codes_.back().size() == each.manifest.entries.size(),
             "{}: {} kernels, the manifest has {} entries", each.manifest.name, codes_.back().size(),
             each.manifest.entries.size());
    }
  }

  int allocate(MemoryRole role, int rank, std::string name, std::int64_t bytes, int granule,
               Filler filler = {}) {
    return memory().allocate(
        {role, rank, std::move(name), static_cast<std::uint64_t>(bytes), granule, std::move(filler), {}});
  }

  /// Allocates pads, staging and inboxes for all calls, each as large as the largest call needs.
  void allocate_shared() {
    Pads pads = manifest(0).pads;
    std::int64_t staging = 0, inbox = 0, errors = 0;
    for (const EmittedKernels& each : emitted_) {
      const Manifest& m = each.manifest;
      errors = std::max(errors, m.error_bytes);
      if (pads.row_bytes == 0) pads = m.pads;
      pads.rows = std::max(pads.rows, m.pads.rows);
      staging = std::max(staging, m.staging.bytes_per_half);
      inbox = std::max(inbox, m.inboxes.bytes_per_half);
      granule_ = std::min<int>(granule_, view_of(m.spec).moved.bits / 8);
    }
    for (int rank = 0; rank < world_; ++rank) {
      errors_.push_back(
          allocate(MemoryRole::error, rank, fmt::format("error words of rank {}", rank), errors, 4,
                   [](std::uint64_t, std::span<std::byte> to) { std::ranges::fill(to, std::byte{0}); }));
      pads_.push_back(allocate_pad(rank, pads));
      for (int half = 0; half < 2; ++half) {
        stagings_[half].push_back(allocate(MemoryRole::staging, rank,
                                           fmt::format("staging half {} of rank {}", half, rank), staging,
                                           granule_));
        inboxes_[half].push_back(allocate(MemoryRole::inbox, rank,
                                          fmt::format("inbox half {} of rank {}", half, rank), inbox, 4,
                                          old_packets()));
      }
    }
  }

  /// Packets with the number before the first, as the launcher's refresh leaves them.
  Filler old_packets() const {
    const std::uint64_t packet = static_cast<std::uint64_t>(options_.first_sequence - 1) << 32;
    return [packet](std::uint64_t, std::span<std::byte> to) {
      for (std::size_t at = 0; at + packet_bytes <= to.size(); at += packet_bytes)
        std::memcpy(&to[at], &packet, packet_bytes);
    };
  }

  int allocate_pad(int rank, const Pads& pads) {
    const std::uint32_t before = options_.first_sequence - 1;
    const auto fill = [before](std::uint64_t, std::span<std::byte> to) {
      for (std::size_t at = 0; at + 4 <= to.size(); at += 4) std::memcpy(&to[at], &before, 4);
    };
    Allocation pad{MemoryRole::pad,
                   rank,
                   fmt::format("pad of rank {}", rank),
                   static_cast<std::uint64_t>(pads.rows) * static_cast<std::uint64_t>(pads.row_bytes),
                   4,
                   fill,
                   {}};
    pad.place = [row_bytes = static_cast<std::uint64_t>(pads.row_bytes),
                 world = static_cast<std::uint64_t>(world_)](std::uint64_t offset) {
      const std::uint64_t slot = offset % row_bytes / slot_bytes;
      return fmt::format("row {}, slot {} of rank {}", offset / row_bytes, slot / world, slot % world);
    };
    return memory().allocate(std::move(pad));
  }

  void add_call(int number) {
    const Manifest& m = manifest(number);
    const auto data = std::make_shared<CallData>(m.spec, number, options_.numbers);
    KernelCall& call = setup_->calls.emplace_back();
    call.codes = codes_[static_cast<std::size_t>(number) % codes_.size()];
    call.grid = m.launch.grid;
    data_.push_back(*data);
    rules_.push_back({options_.first_sequence, sequence_, m.sequence.signals, world_});
    std::vector<int> inputs;
    for (int rank = 0; rank < world_; ++rank) {
      inputs.push_back(allocate(MemoryRole::input, rank,
                                fmt::format("input of rank {} in call {}", rank, number), data->input_bytes(),
                                granule_, [data, rank](std::uint64_t at, std::span<std::byte> to) {
                                  data->fill_input(rank, at, to);
                                }));
      call.outputs.push_back(output(rank, data->output_bytes()));
    }
    const Tables tables = tables_of(call, m, number);
    for (int rank = 0; rank < world_; ++rank) {
      std::vector<LaneWord>& words = call.arguments.emplace_back();
      for (const LaunchArgument& argument : m.arguments)
        words.push_back(value(argument.kind, rank, inputs, call, tables, half_of(m)));
    }
    set_limits(call, m, inputs, tables);
    if (m.launch.grid == 0) return;  // nothing is launched, and nothing advances
    sequence_ += static_cast<std::uint32_t>(m.sequence.signals);
    int& half = half_of(m);
    half = 1 - half;
  }

  /// Staging and inboxes alternate their halves separately, because packets order no accesses of staging.
  int& half_of(const Manifest& m) { return m.inboxes.halves > 0 ? inbox_half_ : staging_half_; }

  /// The output of a rank. Calls with outputs of the same size share it, as calls of a program share a
  /// buffer.
  int output(int rank, std::int64_t bytes) {
    const auto [found, is_new] = outputs_.try_emplace({rank, bytes}, 0);
    if (is_new)
      found->second =
          allocate(MemoryRole::output, rank, fmt::format("output of rank {}", rank), bytes, granule_);
    return found->second;
  }

  struct Tables {
    int signal = 0, staging = 0, inbox = 0, output = 0;
  };
  Tables tables_of(KernelCall& call, const Manifest& m, int number) {
    call.peers_see_outputs = std::ranges::any_of(m.arguments, [](const LaunchArgument& a) {
      return a.kind == ArgumentKind::output_table;
    });
    const auto both = [](const std::vector<int>(&halves)[2]) {
      std::vector<int> all = halves[0];
      all.insert(all.end(), halves[1].begin(), halves[1].end());
      return all;
    };
    return {table("signal", number, pads_), table("staging", number, both(stagings_)),
            table("inbox", number, both(inboxes_)), table("output", number, call.outputs)};
  }
  int table(std::string_view what, int call, std::vector<int> entries) {
    const auto bytes = static_cast<std::int64_t>(8 * entries.size());
    return allocate(MemoryRole::table, 0, fmt::format("{} table of call {}", what, call), bytes, 8,
                    [entries = std::move(entries)](std::uint64_t at, std::span<std::byte> to) {
                      for (std::size_t i = 0; i + 8 <= to.size(); i += 8) {
                        const std::uint64_t address = GroupMemory::address_of(entries.at((at + i) / 8));
                        std::memcpy(&to[i], &address, 8);
                      }
                    });
  }

  LaneWord value(ArgumentKind kind, int rank, const std::vector<int>& inputs, const KernelCall& of,
                 const Tables& tables, int half) const {
    const auto at = static_cast<std::size_t>(rank);
    switch (kind) {
      case ArgumentKind::input: return GroupMemory::address_of(inputs[at]);
      case ArgumentKind::output: return GroupMemory::address_of(of.outputs[at]);
      case ArgumentKind::rank: return static_cast<LaneWord>(rank);
      case ArgumentKind::sequence: return word_of_bits(Scalar::i32, sequence_);
      case ArgumentKind::half: return static_cast<LaneWord>(half);
      case ArgumentKind::signal_table: return GroupMemory::address_of(tables.signal);
      case ArgumentKind::staging_table: return GroupMemory::address_of(tables.staging);
      case ArgumentKind::inbox_table: return GroupMemory::address_of(tables.inbox);
      case ArgumentKind::output_table: return GroupMemory::address_of(tables.output);
      case ArgumentKind::wait_limit: return static_cast<LaneWord>(options_.wait_limit);
      case ArgumentKind::error: break;
    }
    return GroupMemory::address_of(errors_[at]);
  }

  void set_limits(KernelCall& call, const Manifest& m, const std::vector<int>& inputs, const Tables& tables) {
    call.limits.resize(static_cast<std::size_t>(memory().count()));
    const auto allow = [&](int number, std::int64_t bytes) {
      call.limits[static_cast<std::size_t>(number)] = static_cast<std::uint64_t>(bytes);
    };
    const auto allow_all = [&](int number) {
      allow(number, static_cast<std::int64_t>(memory()[number].bytes));
    };
    for (int rank = 0; rank < world_; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      for (int number : {inputs[at], call.outputs[at]}) allow_all(number);
      allow(errors_[at], m.error_bytes);
      allow(pads_[at], std::int64_t{m.pads.rows} * m.pads.row_bytes);
      for (int half = 0; half < 2; ++half) {
        allow(stagings_[half][at], m.staging.bytes_per_half);
        allow(inboxes_[half][at], m.inboxes.bytes_per_half);
      }
    }
    for (int number : {tables.signal, tables.staging, tables.inbox, tables.output}) allow_all(number);
  }

  /// Checks a rank's error words. Each pair after the first is {0, 0}, or {1, sequence number of a call so
  /// far} for a wait that was given up.
  static std::optional<FoundFault> wrong_error(GroupMemory& memory, int errors, const ErrorRule& rule,
                                               int call, int rank, bool is_expected, Errors& found) {
    for (std::uint64_t at = error_pair_bytes; at < memory[errors].bytes; at += 8) {
      std::uint32_t pair[2];
      const Page& page = memory.page(errors, at);
      std::memcpy(pair, page.bytes.data() + (at - page.begin), 8);
      if (pair[0] == 0 && pair[1] == 0) continue;
      const auto signals = static_cast<std::uint32_t>(rule.signals);
      const bool is_right =
          pair[0] == 1 && pair[1] - rule.first_of_all < rule.first - rule.first_of_all + signals;
      ++found.of_all_calls;
      found.of_call += pair[1] - rule.first < signals;
      if (is_right && is_expected) continue;
      const auto world = static_cast<std::uint64_t>(rule.world);
      return FoundFault{
          FaultKind::timeout,
          fmt::format("rank {}, call {}: the error words of block {} and peer {} are {{{}, {}}}\n{}", rank,
                      call, (at / 8 - 1) / world, (at / 8 - 1) % world, pair[0], pair[1],
                      is_right ? "all ranks launch the call"
                               : fmt::format("expected {{1, {}}}", rule.first))};
    }
    return {};
  }

  std::span<const EmittedKernels> emitted_;
  const CheckOptions& options_;
  std::int64_t& timeouts_;
  int world_;
  std::unique_ptr<GroupSetup> setup_ = std::make_unique<GroupSetup>();
  std::vector<std::vector<int>> codes_;  // by emitted kernels
  std::vector<int> pads_, stagings_[2], inboxes_[2];
  std::map<std::pair<int, std::int64_t>, int> outputs_;
  int staging_half_ = 0, inbox_half_ = 0;
  std::vector<int> errors_;  // by rank
  std::vector<CallData> data_;
  std::vector<ErrorRule> rules_;
  std::uint32_t sequence_ = options_.first_sequence;
  int granule_ = 8;
};

}  // namespace

std::unique_ptr<GroupSetup> group_of(std::span<const EmittedKernels> emitted, const CheckOptions& options,
                                     std::int64_t& timeouts) {
  return Group(emitted, options, timeouts).made();
}

}  // namespace tutti::kernels
