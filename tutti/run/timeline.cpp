// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
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

/// 12345 as 12.345. By hand: a program waits for it between two calls.
void append_thousandths(std::string& text, std::int64_t value) {
  fmt::format_int whole(value / 1000);
  text.append(whole.data(), whole.size());
  auto rest = static_cast<int>(value % 1000);
  text += '.';
  for (int digit : {rest / 100, rest / 10 % 10, rest % 10}) text += static_cast<char>('0' + digit);
}

std::int64_t nanoseconds(Track::Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

}  // namespace

Timeline::Timeline(int workers, const std::string& file, const std::string& title, std::int64_t most_events)
    : path_(file), most_events_(most_events) {
  for (int worker = 0; worker < workers; ++worker) {
    tracks_.emplace_back(most_events);
    thread_heads_.push_back(
        fmt::format("}},\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":", process, first_thread + worker));
  }
  if (path_.empty()) return;
  try {
    file_ = open_to_write(path_);
  } catch (const Error& error) {
    throw with_file(error, path_);
  }
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // one piece of text a call
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
    left_out_ += tracks_[worker].take_left_out();
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
  std::int64_t length = nanoseconds(recorded.event.end - recorded.event.begin);
  text_ += ",\n";
  text_ += label;
  if (bytes > 0 && length > 0) {
    text_ += R"(,"GB/s":)";
    append_thousandths(text_, std::llround(bytes * 1000 / static_cast<double>(length)));
  }
  text_ += thread_heads_[static_cast<std::size_t>(recorded.worker)];
  append_thousandths(text_, nanoseconds(recorded.event.begin - start_));
  text_ += R"(,"dur":)";
  append_thousandths(text_, length);
  text_ += '}';
  if (text_.size() > most_pending_bytes) write();
}

void Timeline::write() {
  if (!file_) return;
  std::size_t events_end = text_.size();
  text_ += footer(left_out_);
  bool written = std::fseek(file_.get(), end_, SEEK_SET) == 0 &&
                 std::fwrite(text_.data(), 1, text_.size(), file_.get()) == text_.size();
  text_.resize(events_end);
  require(written, Code::file, "'{}' cannot be written: {}", path_, std::strerror(errno));
  end_ += static_cast<long>(events_end);
  text_.clear();
}

}  // namespace tutti
