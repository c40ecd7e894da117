// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/group.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t most_ranks = 256;  // each has two streams
constexpr std::size_t most_named_calls = 64;

std::vector<std::vector<int>> by_device(const std::vector<int>& devices) {
  std::map<int, std::vector<int>> ranks;
  for (std::size_t rank = 0; rank < devices.size(); ++rank)
    ranks[devices[rank]].push_back(static_cast<int>(rank));
  std::vector<std::vector<int>> lists;
  for (auto& [device, list] : ranks) lists.push_back(std::move(list));
  return lists;
}

GroupOptions checked(GroupOptions options, std::size_t world) {
  require(world > 0, Code::argument, "a group of no devices; name one for each rank");
  require(world <= most_ranks, Code::argument, "a group of {} ranks; there may be {} in one process", world,
          most_ranks);
  require(std::isfinite(options.timeout_s) && options.timeout_s > 0, Code::argument,
          "a time-out of {} s; it must be positive", options.timeout_s);
  return options;
}

/// Yields during the first 200 us, so that wait() ends promptly after a short call. Then sleeps between
/// polls.
void pause_after(Seconds waited) {
  if (waited < std::chrono::microseconds(200)) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace

std::vector<int> devices_for(int world, const std::string& driver) {
  const int count = count_of_devices(*Driver::open(driver));
  require(count > 0, Code::device, "{} has no device; mind CUDA_VISIBLE_DEVICES", driver);
  std::vector<int> devices;
  for (int rank = 0; rank < world; ++rank) devices.push_back(rank % count);
  return devices;
}

Group::Group(const std::vector<int>& devices, GroupOptions options)
    : options_(checked(std::move(options), devices.size())),
      devices_(open_devices(Driver::open(options_.driver), devices)),
      ranks_by_device_(by_device(devices)),
      missing_access_(missing_peer_access(devices_)),
      sequence_(options_.first_sequence) {
  if (missing_access_.empty()) enable_peer_access(devices_);
  for (const auto& device : devices_) streams_.push_back(make_stream(device));
  for (const auto& device : devices_) {
    observers_.push_back(make_stream(device));
    events_.push_back(make_event(device));
  }
}

Group::~Group() { settle(); }

void Group::require_whole() const {
  require(broken_.empty(), Code::device, "the group is broken, make another one; first error: {}", broken_);
}

void Group::break_with(const std::string& why) {
  set_broken(why);
  fail(Code::device, "{}", why);
}

Group::Call Group::begin(const Manifest& manifest) {
  require_whole();
  prepare(manifest);
  require_fits(manifest, memory_->pads(), memory_->staging(), memory_->inboxes());
  int& half = manifest.inboxes.halves > 0 ? inbox_half_ : staging_half_;
  const Call call{sequence_, half};
  const int signals = manifest.sequence.signals;
  if (calls_.size() == most_named_calls) calls_.erase(calls_.begin());
  calls_.push_back({manifest.name, sequence_, signals});
  sequence_ += static_cast<std::uint32_t>(signals);
  signals_ += signals;
  const bool has_halves = manifest.inboxes.halves > 0 || manifest.staging.halves > 0;
  if (has_halves) half = 1 - half;
  return call;
}

// A fill must not overwrite a signal. So all ranks are idle before it, and no kernel begins before all fills
// are done.
void Group::prepare(const Manifest& manifest) {
  const bool is_due = signals_ + manifest.sequence.signals > options_.refresh;
  if (is_filled_ && memory_->fits(manifest) && !is_due) return;
  wait();
  is_filled_ = false;
  allocate_for(manifest);
  try {
    memory_->fill(sequence_ - 1);
    wait();  // reads no error words: is_filled_ is still false
  } catch (const Error& error) {
    set_broken(error.what());
    throw;
  }
  is_filled_ = true;
  signals_ = 0;
}

void Group::allocate_for(const Manifest& manifest) {
  if (!memory_) {
    std::vector<RankPlace> ranks;
    for (int rank = 0; rank < world(); ++rank) ranks.push_back({device(rank), stream(rank)});
    SymmetricMemory memory(std::move(ranks));
    std::vector<HostMemory> errors;
    for (const auto& device : devices_) errors.push_back(allocate_host(device, memory.error_bytes()));
    memory_ = std::move(memory);
    errors_ = std::move(errors);
  }
  memory_->grow(manifest);
}

// The first rank's stream waits for all others, then all others wait for the first.
void Group::meet(std::span<const int> ranks) const {
  if (ranks.size() < 2) return;
  const auto on = [&](int rank, const auto& queue) {
    const OnDevice current(*device(rank));
    queue(driver());
  };
  const auto event = [&](int rank) { return events_[static_cast<std::size_t>(rank)].get(); };
  const int first = ranks.front();
  for (int rank : ranks.subspan(1)) {
    on(rank, [&](const Driver& d) { d.event_record(event(rank), stream(rank)); });
    on(first, [&](const Driver& d) { d.stream_wait(stream(first), event(rank), 0); });
  }
  on(first, [&](const Driver& d) { d.event_record(event(first), stream(first)); });
  for (int rank : ranks.subspan(1))
    on(rank, [&](const Driver& d) { d.stream_wait(stream(rank), event(first), 0); });
}

void Group::meet() const {
  std::vector<int> all(devices_.size());
  std::iota(all.begin(), all.end(), 0);
  meet(all);
}

void Group::wait() {
  require_whole();
  bool have_finished = false;
  try {
    if (is_filled_) queue_first_words();
    have_finished = finish_within(streams_, 2 * options_.timeout_s);
  } catch (const Error& error) {
    set_broken(error.what());
    settle();  // queued copies may read memory that the caller frees
    throw;
  }
  if (have_finished && !(is_filled_ && has_given_up())) return;
  break_with(given_up_text(have_finished));
}

// Asks twice: the first answer may be an earlier call's error. A driver that fails again is taken to be idle.
bool Group::is_busy(int rank) const {
  if (device(rank)->is_abandoned()) return false;
  ContextHandle before = nullptr;
  if (driver().context_push.result(device(rank)->context()) != driver_result::success) return false;
  DriverResult result = driver().stream_query.result(stream(rank));
  const bool is_answer = result == driver_result::success || result == driver_result::not_ready;
  if (!is_answer) result = driver().stream_query.result(stream(rank));
  driver().context_pop.result(&before);
  return result == driver_result::not_ready;
}

void Group::settle() const noexcept {
  const Clock::time_point start = Clock::now();
  for (;;) {
    const Seconds waited = Clock::now() - start;
    const bool is_late = waited.count() > 2 * options_.timeout_s;
    bool any = false;
    for (int rank = 0; rank < world(); ++rank) {
      if (!is_busy(rank)) continue;
      any = true;
      if (is_late) device(rank)->abandon();
    }
    if (!any || is_late) return;
    pause_after(waited);
  }
}

std::vector<int> Group::unfinished(const std::vector<Stream>& streams) const {
  std::vector<int> ranks;
  for (int rank = 0; rank < world(); ++rank) {
    const OnDevice current(*device(rank));
    const DriverResult result = driver().stream_query.result(streams[static_cast<std::size_t>(rank)].get());
    if (result == driver_result::not_ready) ranks.push_back(rank);
    else driver().check(result, driver().stream_query.symbol(), fmt::format("rank {}", rank));
  }
  return ranks;
}

// Reads the clock before the query: if the thread is suspended in between, finished work is not taken for a
// time-out.
bool Group::finish_within(const std::vector<Stream>& streams, double seconds) const {
  const Clock::time_point start = Clock::now();
  for (;;) {
    const Seconds waited = Clock::now() - start;
    if (unfinished(streams).empty()) return true;
    if (waited.count() > seconds) return false;
    pause_after(waited);
  }
}

// Queues the copies behind the kernels, so that one wait covers both.
void Group::queue_first_words() const {
  for (std::size_t rank = 0; rank < errors_.size(); ++rank) {
    const OnDevice current(*devices_[rank]);
    driver().copy_to_host(errors_[rank].get(), memory_->error_words(static_cast<int>(rank)), error_pair_bytes,
                          streams_[rank].get());
  }
}

bool Group::has_given_up() const {
  return std::ranges::any_of(errors_, [](const HostMemory& words) {
    std::uint32_t first = 0;
    std::memcpy(&first, words.get(), sizeof first);
    return first != 0;
  });
}

}  // namespace tutti::kernels
