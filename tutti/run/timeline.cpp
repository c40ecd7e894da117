// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/timeline.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_pending_bytes = 1 << 20;
// Perfetto takes thread 0 for the idle one.
constexpr int process = 1, first_thread = 1;

std::string header(int workers, const std::string& title) {
  nlohmann::ordered_json name = {{"ph", "M"},
                                 {"pid", process},
                                 {"name", "process_name"},
                                 {"args", {{"name", title}}}};
  auto replace = nlohmann::ordered_json::error_handler_t::replace;
  std::string text = R"({"displayTimeUnit":"ns","traceEvents":[)"
                     "\n" +
                     name.dump(-1, ' ', false, replace);
  for (int worker = 0; worker < workers; ++worker)
    text += fmt::format(",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\","
                        "\"args\":{{\"name\":\"worker {2}\"}}}}"
                        ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_sort_index\","
                        "\"args\":{{\"sort_index\":{2}}}}}",
                        process, first_thread + worker, worker);
  return text;
}

/// Never shorter than the one before, over which it is written.
std::string footer(std::int64_t left_out) {
  return fmt::format("\n],\"otherData\":{{\"events_left_out\":{}}}}}\n", left_out);
}

std::int64_t nanoseconds(Track::Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

}  // namespace

Timeline::Timeline(int workers, const std::string& file, const std::string& title, std::int64_t most_events)
    : path_(file), most_events_(most_events) {
  for (int worker = 0; worker < workers; ++worker) tracks_.emplace_back(most_events);
  if (path_.empty()) return;
  try {
    file_ = open_to_write(path_);
  } catch (const Error& error) {
    throw with_file(error, path_);
  }
  text_ = header(workers, title);
  write();
}

std::int64_t Timeline::left_out() {
  std::lock_guard lock(turn_);
  return left_out_;
}

const std::vector<Timeline::Recorded>& Timeline::take() {
  taken_.clear();
  for (std::size_t worker = 0; worker < tracks_.size(); ++worker) {
    std::vector<Track::Event>& events = tracks_[worker].events();
    for (const Track::Event& event : events) taken_.push_back({static_cast<int>(worker), event});
    events.clear();
    if (file_) left_out_ += tracks_[worker].take_left_out();
  }
  if (file_)
    std::ranges::stable_sort(taken_, {}, [](const Recorded& recorded) { return recorded.event.begin; });
  return taken_;
}

void Timeline::add(const Recorded& recorded, const std::string& label, double bytes) {
  if (!file_) return;
  if (events_ == most_events_) {
    ++left_out_;
    return;
  }
  ++events_;
  std::int64_t begin = nanoseconds(recorded.event.begin - start_);
  std::int64_t length = nanoseconds(recorded.event.end - recorded.event.begin);
  text_ += ",\n" + label;
  if (bytes > 0 && length > 0)
    fmt::format_to(std::back_inserter(text_), ",\"GB/s\":{:.3f}", bytes / static_cast<double>(length));
  fmt::format_to(std::back_inserter(text_),
                 "}},\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{}.{:03},\"dur\":{}.{:03}}}", process,
                 first_thread + recorded.worker, begin / 1000, begin % 1000, length / 1000, length % 1000);
  if (text_.size() > most_pending_bytes) write();
}

void Timeline::write() {
  if (!file_) return;
  std::string ended = text_ + footer(left_out_);
  bool written = std::fseek(file_.get(), end_, SEEK_SET) == 0 &&
                 std::fwrite(ended.data(), 1, ended.size(), file_.get()) == ended.size() &&
                 std::fflush(file_.get()) == 0;
  require(written, Code::file, "'{}' cannot be written: {}", path_, std::strerror(errno));
  end_ += static_cast<long>(text_.size());
  text_.clear();
}

}  // namespace tutti
