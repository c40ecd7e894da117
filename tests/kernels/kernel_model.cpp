// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/kernel_model.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tutti/base/inside.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

constexpr std::size_t place_of_sequence = 3;  // in the arguments of every kernel

template <class T>
T combined(ReduceKind kind, T x, T y) {
  if (kind == ReduceKind::max) return std::max(x, y);
  if (kind == ReduceKind::min) return std::min(x, y);
  return static_cast<T>(x + y);
}

bool is_published(const Manifest& m, const std::string& kernel) {
  return m.spec.variant == Variant::two_launches && kernel == m.entries[0];
}

}  // namespace

KernelModel::KernelModel(fake_cuda::Control& control)
    : control_(control), expected_(control.launches().size()), nowhere_(64) {
  control_.on_kernel([this](const fake_cuda::Launch& launch) { run(launch); });
}
KernelModel::~KernelModel() { control_.on_kernel(nullptr); }

void KernelModel::fault(std::string text) { faults_.push_back(std::move(text)); }

void KernelModel::expect(const Manifest& manifest) {
  const std::vector<fake_cuda::Launch> launches = control_.launches();
  for (; expected_ < launches.size(); ++expected_) {
    const fake_cuda::Launch& launch = launches[expected_];
    const auto sequence = static_cast<std::uint32_t>(launch.arguments.at(place_of_sequence));
    Call& call = calls_[sequence];
    if (call.manifest.name.empty()) call = {manifest, view_of(manifest.spec), {}, {}, {}, 0};
    check_arguments(call, launch);
    call.streams[static_cast<int>(launch.arguments.at(2))] = launch.stream;
    call.devices[static_cast<int>(launch.arguments.at(2))] = launch.device;
  }
}

void KernelModel::check_arguments(const Call& call, const fake_cuda::Launch& launch) {
  const Manifest& m = call.manifest;
  if (launch.arguments.size() != m.arguments.size())
    return fault(fmt::format("{}: {} arguments", launch.kernel, launch.arguments.size()));
  if (std::ranges::find(m.entries, launch.kernel) == m.entries.end())
    fault("a launch of another kernel: " + launch.kernel);
  if (launch.grid != static_cast<unsigned>(m.launch.grid) ||
      launch.threads != static_cast<unsigned>(m.launch.warps * threads_per_warp(m.target)))
    fault(fmt::format("{}: grid {}, {} threads", launch.kernel, launch.grid, launch.threads));
  for (std::size_t i = 0; i < m.arguments.size(); ++i)
    if (m.arguments[i].alignment == alignment_bytes && launch.arguments[i] % alignment_bytes != 0)
      fault(fmt::format("{}: argument {} is not aligned", launch.kernel, i));
}

void KernelModel::run(const fake_cuda::Launch& launch) {
  const auto found = calls_.find(static_cast<std::uint32_t>(launch.arguments.at(place_of_sequence)));
  if (found == calls_.end()) return fault("a kernel runs before it was expected");
  Call& call = found->second;
  const auto rank = static_cast<int>(launch.arguments.at(2));
  call.arguments[rank] = launch.arguments;
  std::uint32_t broken = 0;
  std::memcpy(&broken, bytes(argument(call, rank, ArgumentKind::error), call.manifest.error_bytes), 4);
  if (broken != 0) return;
  if (call.manifest.spec.variant == Variant::two_launches) {
    if (is_published(call.manifest, launch.kernel)) {
      publish(call, rank);
      return signal(call, rank, 0);
    }
    run_others(call, rank);  // on other devices they may not have begun yet
    wait(call, rank, 0);
    return consume(call, rank);
  }
  run_others(call, rank);
  if (static_cast<int>(call.arguments.size()) == call.manifest.spec.world && call.done++ == 0) run_all(call);
}

void KernelModel::run_others(Call& call, int rank) {
  const bool is_waiting = call.manifest.spec.variant == Variant::two_launches;
  for (const auto& [other, stream] : call.streams) {
    if (other == rank || call.arguments.contains(other)) continue;
    if (is_waiting && call.devices.at(other) == call.devices.at(rank))
      fault(fmt::format("rank {} may keep rank {} from the device that they share", rank, other));
    if (!control_.run_kernel_of(stream))
      fault(fmt::format("rank {} waits for rank {}, whose kernel cannot run", rank, other));
  }
}

void KernelModel::barrier(Call& call, int number) {
  for (int rank = 0; rank < call.manifest.spec.world; ++rank) signal(call, rank, number);
  for (int rank = 0; rank < call.manifest.spec.world; ++rank) wait(call, rank, number);
}

void KernelModel::run_all(Call& call) {
  const int world = call.manifest.spec.world;
  switch (call.manifest.spec.variant) {
    case Variant::two_shot: return two_shot(call);
    case Variant::push: return push(call);
    case Variant::packets: return packets(call);
    case Variant::standard:
    case Variant::swizzled:
    case Variant::one_shot:
    case Variant::two_launches: break;
  }
  for (int rank = 0; rank < world; ++rank) publish(call, rank);
  barrier(call, 0);
  for (int rank = 0; rank < world; ++rank) consume(call, rank);
}

std::uint64_t KernelModel::argument(const Call& call, int rank, ArgumentKind kind) const {
  const auto& arguments = call.manifest.arguments;
  const auto place = std::ranges::find(arguments, kind, &LaunchArgument::kind) - arguments.begin();
  return call.arguments.at(rank).at(static_cast<std::size_t>(place));
}

std::byte* KernelModel::bytes(std::uint64_t address, std::int64_t count) {
  if (control_.holds(address, static_cast<std::size_t>(count))) return reinterpret_cast<std::byte*>(address);
  fault(fmt::format("{} bytes at {:#x} are not of one allocation", count, address));
  return nowhere_.data();
}

std::uint64_t KernelModel::entry(const Call& call, int rank, ArgumentKind table, int at) {
  std::uint64_t address = 0;
  std::memcpy(&address, bytes(argument(call, rank, table) + static_cast<std::uint64_t>(8 * at), 8), 8);
  return address;
}

std::byte* KernelModel::element(std::uint64_t array, std::int64_t at, const Call& call) {
  const int size = call.view.moved.bits / 8;
  return bytes(array + static_cast<std::uint64_t>(at * size), size);
}

std::uint64_t KernelModel::staging(const Call& call, int rank, int owner) {
  const auto half = static_cast<int>(argument(call, rank, ArgumentKind::half));
  return entry(call, rank, ArgumentKind::staging_table, half * call.manifest.spec.world + owner);
}

std::byte* KernelModel::staged(Call& call, int rank, int owner, int slice, std::int64_t i) {
  const std::int64_t size = slice_elements(call.view, call.manifest.launch);
  return element(staging(call, rank, owner), slice * size + i, call);
}

// A number that stands there already must not end the wait that is to come.
void KernelModel::signal(Call& call, int rank, int number) {
  const Manifest& m = call.manifest;
  const auto sequence = static_cast<std::uint32_t>(argument(call, rank, ArgumentKind::sequence)) +
                        static_cast<std::uint32_t>(number);
  const bool is_poll = m.encoding == Encoding::poll;
  const int which = is_poll ? 1 + static_cast<int>(sequence & 1) : 0;
  for (int peer = 0; peer < m.spec.world; ++peer)
    for (int block = 0; block < m.launch.grid; ++block) {
      const int offset = block * m.pads.row_bytes + (which * m.spec.world + rank) * slot_bytes;
      std::byte* slot =
          bytes(entry(call, rank, ArgumentKind::signal_table, peer) + static_cast<std::uint64_t>(offset), 4);
      std::uint32_t old = 0;
      std::memcpy(&old, slot, 4);
      const bool is_behind = static_cast<std::int32_t>(old - sequence) < 0;
      if (is_poll ? old == sequence : !is_behind)
        fault(fmt::format("number {} of rank {} stands in block {} of rank {} before {} is signalled", old,
                          rank, block, peer, sequence));
      std::memcpy(slot, &sequence, 4);
    }
}

void KernelModel::wait(Call& call, int rank, int number) {
  const Manifest& m = call.manifest;
  const auto sequence = static_cast<std::uint32_t>(argument(call, rank, ArgumentKind::sequence)) +
                        static_cast<std::uint32_t>(number);
  const int which = m.encoding == Encoding::poll ? 1 + static_cast<int>(sequence & 1) : 0;
  for (int peer = 0; peer < m.spec.world; ++peer) {
    const int offset = (which * m.spec.world + peer) * slot_bytes;
    std::uint32_t found = 0;
    std::memcpy(
        &found,
        bytes(entry(call, rank, ArgumentKind::signal_table, rank) + static_cast<std::uint64_t>(offset), 4),
        4);
    if (found != sequence)
      fault(fmt::format("rank {} waits for {} of rank {} and finds {}", rank, sequence, peer, found));
  }
}

void KernelModel::publish(Call& call, int rank) {
  const std::uint64_t input = argument(call, rank, ArgumentKind::input);
  const auto size = static_cast<std::size_t>(call.view.moved.bits / 8);
  for (int slice = 0; slice < call.view.operand.blocks; ++slice)
    for (std::int64_t i = 0; i < call.view.elements; ++i)
      std::memcpy(staged(call, rank, rank, slice, i),
                  element(input, call.view.operand.offset(i, slice), call), size);
}

void KernelModel::consume(Call& call, int rank) {
  const CollectiveSpec& spec = call.manifest.spec;
  const std::uint64_t output = argument(call, rank, ArgumentKind::output);
  const auto size = static_cast<std::size_t>(call.view.moved.bits / 8);
  const int slice = call.view.operand.blocks == 1 ? 0 : rank;
  for (std::int64_t i = 0; i < call.view.elements; ++i) {
    if (is_reduction(spec.kind)) {
      fold(call, rank, slice, i, element(output, i, call));
    } else if (spec.kind == CollectiveKind::ppermute) {
      const auto pair = std::ranges::find(spec.pairs, rank, &std::pair<int, int>::second);
      std::byte* to = element(output, i, call);
      if (pair == spec.pairs.end()) std::memset(to, 0, size);
      else std::memcpy(to, staged(call, rank, pair->first, 0, i), size);
    } else {
      for (int source = 0; source < spec.world; ++source)
        std::memcpy(element(output, call.view.result.offset(i, source), call),
                    staged(call, rank, source, slice, i), size);
    }
  }
}

/// Folds f32, i32 and i64, the dtypes that tests reduce.
void KernelModel::fold(Call& call, int rank, int slice, std::int64_t i, std::byte* to) {
  const CollectiveSpec& spec = call.manifest.spec;
  const auto folded = [&]<class T>(T sum) {
    for (int source = 0; source < spec.world; ++source) {
      T value{};
      const bool has_own_inboxes = spec.variant == Variant::push;
      std::memcpy(&value,
                  has_own_inboxes ? staged(call, rank, rank, source, i)
                                  : staged(call, rank, source, slice, i),
                  sizeof value);
      sum = source == 0 ? value : combined(*spec.reduction, sum, value);
    }
    std::memcpy(to, &sum, sizeof sum);
  };
  if (spec.dtype == DType::f32) folded(float{});
  else if (spec.dtype == DType::i32) folded(std::int32_t{});
  else if (spec.dtype == DType::i64) folded(std::int64_t{});
  else fault("the model does not reduce this dtype");
}

void KernelModel::two_shot(Call& call) {
  const int world = call.manifest.spec.world;
  const std::int64_t part = call.manifest.launch.elements;
  const auto size = static_cast<std::size_t>(call.view.moved.bits / 8);
  const auto of_part = [&](int p) {
    return std::clamp<std::int64_t>(call.view.elements - p * part, 0, part);
  };
  for (int rank = 0; rank < world; ++rank)
    for (int p = 0; p < world; ++p)
      for (std::int64_t i = 0; i < of_part(p); ++i)
        std::memcpy(staged(call, rank, rank, p, i),
                    element(argument(call, rank, ArgumentKind::input), p * part + i, call), size);
  barrier(call, 0);
  for (int rank = 0; rank < world; ++rank)
    for (std::int64_t i = 0; i < of_part(rank); ++i) {
      std::byte sum[8];
      fold(call, rank, rank, i, sum);
      std::memcpy(staged(call, rank, rank, rank, i), sum, size);
    }
  barrier(call, 1);
  for (int rank = 0; rank < world; ++rank)
    for (int p = 0; p < world; ++p)
      for (std::int64_t i = 0; i < of_part(p); ++i)
        std::memcpy(element(argument(call, rank, ArgumentKind::output), p * part + i, call),
                    staged(call, rank, p, p, i), size);
}

void KernelModel::push(Call& call) {
  const CollectiveSpec& spec = call.manifest.spec;
  const auto size = static_cast<std::size_t>(call.view.moved.bits / 8);
  const bool is_folded = is_reduction(spec.kind);
  if (!is_folded) barrier(call, 0);
  for (int rank = 0; rank < spec.world; ++rank)
    for (int target = 0; target < spec.world; ++target)
      for (std::int64_t i = 0; i < call.view.elements; ++i) {
        const int slice = call.view.operand.blocks == 1 ? 0 : target;
        const std::byte* from =
            element(argument(call, rank, ArgumentKind::input), call.view.operand.offset(i, slice), call);
        if (is_folded) {
          std::memcpy(staged(call, rank, target, rank, i), from, size);
          continue;
        }
        const std::uint64_t output = entry(call, rank, ArgumentKind::output_table, target);
        if (spec.kind != CollectiveKind::ppermute)
          std::memcpy(element(output, call.view.result.offset(i, rank), call), from, size);
        else if (std::ranges::find(spec.pairs, std::pair(rank, target)) != spec.pairs.end())
          std::memcpy(element(output, i, call), from, size);
        else if (target == rank &&
                 std::ranges::find(spec.pairs, rank, &std::pair<int, int>::second) == spec.pairs.end())
          std::memset(element(argument(call, rank, ArgumentKind::output), i, call), 0, size);
      }
  barrier(call, is_folded ? 0 : 1);
  for (int rank = 0; is_folded && rank < spec.world; ++rank)
    for (std::int64_t i = 0; i < call.view.elements; ++i)
      fold(call, rank, 0, i, element(argument(call, rank, ArgumentKind::output), i, call));
}

// The model folds i32 and f32 packets by way of a staging of its own.
void KernelModel::packets(Call& call) {
  const CollectiveSpec& spec = call.manifest.spec;
  const int rows = packets_per_element(call.view.moved);
  const auto size = static_cast<std::size_t>(call.view.moved.bits / 8);
  const auto sequence = static_cast<std::uint32_t>(argument(call, 0, ArgumentKind::sequence));
  const auto packet = [&](int rank, int owner, int sender, int row, std::int64_t i) {
    const auto half = static_cast<int>(argument(call, rank, ArgumentKind::half));
    const std::uint64_t inboxes = entry(call, rank, ArgumentKind::inbox_table, half * spec.world + owner);
    const std::int64_t at =
        sender * packet_inbox_bytes + (row * call.manifest.launch.elements + i) * packet_bytes;
    return bytes(inboxes + static_cast<std::uint64_t>(at), packet_bytes);
  };
  for (int rank = 0; rank < spec.world; ++rank)
    for (int target = 0; target < spec.world; ++target)
      for (std::int64_t i = 0; i < call.view.elements; ++i) {
        const int slice = call.view.operand.blocks == 1 ? 0 : target;
        std::uint64_t bits = 0;
        std::memcpy(&bits,
                    element(argument(call, rank, ArgumentKind::input), call.view.operand.offset(i, slice),
                            call),
                    size);
        for (int row = 0; row < rows; ++row) {
          std::byte* to = packet(rank, target, rank, row, i);
          std::uint32_t old = 0;
          std::memcpy(&old, to + 4, 4);
          if (old == sequence)
            fault(fmt::format("packet {} of rank {} has its number {} already", i, rank, sequence));
          const std::uint64_t sent = std::uint64_t{sequence} << 32 | (bits >> (32 * row) & 0xffff'ffff);
          std::memcpy(to, &sent, 8);
        }
      }
  for (int rank = 0; rank < spec.world; ++rank)
    for (std::int64_t i = 0; i < call.view.elements; ++i) {
      float sum = 0;
      for (int source = 0; source < spec.world; ++source) {
        std::uint64_t bits = 0;
        for (int row = 0; row < rows; ++row) {
          std::uint32_t data = 0;
          std::memcpy(&data, packet(rank, rank, source, row, i), 4);
          bits |= std::uint64_t{data} << (32 * row);
        }
        if (!is_reduction(spec.kind)) {
          std::memcpy(element(argument(call, rank, ArgumentKind::output), call.view.result.offset(i, source),
                              call),
                      &bits, size);
          continue;
        }
        float value = 0;
        std::memcpy(&value, &bits, 4);
        sum = source == 0 ? value : combined(*spec.reduction, sum, value);
      }
      if (is_reduction(spec.kind))
        std::memcpy(element(argument(call, rank, ArgumentKind::output), i, call), &sum, 4);
    }
}

}  // namespace tutti::kernels
