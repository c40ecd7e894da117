// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/timeline.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_pending_bytes = 1 << 20;
// Perfetto treats process 0 and thread 0 as idle.
constexpr int first_process = 1, first_thread = 1;

/// Says when the timeline began by the clock of the host, which other processes know, too.
std::string header(const std::vector<std::string>& tracks, const std::string& title,
                   const ProcessOfJob& process) {
  const int pid = first_process + process.number;
  nlohmann::ordered_json name = {{"ph", "M"},
                                 {"pid", pid},
                                 {"name", "process_name"},
                                 {"args", {{"name", title}}}};
  auto replace = nlohmann::ordered_json::error_handler_t::replace;
  const auto began = std::chrono::system_clock::now().time_since_epoch();
  std::string text =
      fmt::format("{{\"displayTimeUnit\":\"ns\",\"beganUnixNs\":{},\"job\":{},\"traceEvents\":[\n",
                  std::chrono::duration_cast<std::chrono::nanoseconds>(began).count(), process.job) +
      name.dump(-1, ' ', false, replace);
  for (std::size_t i = 0; i < tracks.size(); ++i)
    text += fmt::format(",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_name\","
                        "\"args\":{{\"name\":\"{2}\"}}}}"
                        ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"thread_sort_index\","
                        "\"args\":{{\"sort_index\":{3}}}}}",
                        pid, first_thread + static_cast<int>(i), tracks[i], i);
  return text;
}

constexpr std::string_view footer_head = "\n],\"otherData\":{\"events_left_out\":", footer_tail = "}}\n";
constexpr std::size_t footer_digits = 19;
using Footer = std::array<char, footer_head.size() + footer_digits + footer_tail.size()>;

/// Fixed length, so that it can be overwritten in place even when the disk is full.
Footer footer(std::int64_t left_out) {
  Footer text;
  fmt::format_to_n(text.data(), text.size(), "{}{:>{}}{}", footer_head, left_out, footer_digits, footer_tail);
  return text;
}
std::string_view view(const Footer& text) { return {text.data(), text.size()}; }

/// Opens, locks and empties a file. The lock belongs to the open file: it excludes other processes and other
/// machines of this process, under any name of the file, and ends with its owner. Special files (devices,
/// pipes) and file systems without locks refuse nobody.
File opened(const std::string& path) {
  const int number = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  File file = number < 0 ? nullptr : stream_to(number);
  require_done(file != nullptr, "cannot be written");
  if (is_special_file(path)) return file;
  require(lock(number), Code::file, "is being written by another machine; name a file of its own for each");
  require_done(::ftruncate(number, 0) == 0, "cannot be written");
  return file;
}

/// Appends value / 1000 with three decimals: 12345 as 12.345. Formatted by hand: this runs between two calls
/// of a program.
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

std::vector<std::string> Timeline::names_of_workers(int workers) {
  std::vector<std::string> names;
  for (int worker = 0; worker < workers; ++worker) names.push_back(fmt::format("worker {}", worker));
  return names;
}

Timeline::Timeline(const std::vector<std::string>& tracks, const std::string& file, const std::string& title,
                   std::int64_t most_events, ProcessOfJob process)
    : path_(file), most_events_(most_events) {
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    tracks_.emplace_back(most_events);
    thread_heads_.push_back(fmt::format("}},\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":",
                                        first_process + process.number, first_thread + static_cast<int>(i)));
  }
  if (path_.empty()) return;
  with_name(path_, {}, not_written_without_memory, [&] { file_ = opened(path_); });
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // each call of a program writes one piece of text
  text_ = header(tracks, title, process);
  write();
  require(file_ != nullptr, Code::file, "{}", failure());
}

std::int64_t Timeline::left_out() {
  std::lock_guard lock(turn_);
  return recorded_ - kept_;
}

std::string Timeline::failure() {
  std::lock_guard lock(turn_);
  if (why_it_failed_ == 0) return {};
  return fmt::format("'{}' cannot be written: {}", path_, std::strerror(why_it_failed_));
}

const std::vector<Timeline::Recorded>& Timeline::take() {
  taken_.clear();
  std::size_t events = 0;
  for (Track& track : tracks_) {
    events += track.events().size();
    recorded_ += track.take_left_out();
  }
  recorded_ += static_cast<std::int64_t>(events);
  taken_.reserve(events);
  for (std::size_t worker = 0; worker < tracks_.size(); ++worker) {
    for (const Track::Event& event : tracks_[worker].events())
      taken_.push_back({static_cast<int>(worker), event});
    tracks_[worker].events().clear();
  }
  if (path_.empty()) kept_ += static_cast<std::int64_t>(events);
  if (file_)
    std::ranges::stable_sort(taken_, {}, [](const Recorded& recorded) { return recorded.event.begin; });
  return taken_;
}

void Timeline::add(const Recorded& recorded, const std::string& label, double bytes) {
  if (!file_ || kept_ + pending_ == most_events_) return;
  ++pending_;
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
  text_ += view(footer(recorded_ - kept_ - pending_));
  if (!put(text_)) return give_up(errno);
  end_ += static_cast<long>(events_end);
  kept_ += pending_;
  pending_ = 0;
  text_.clear();
}

void Timeline::give_up(int why) {
  for (Track& track : tracks_) track.events().clear();
  if (!file_) return;
  why_it_failed_ = why;
  pending_ = 0;
  text_.clear();
  const Footer last = footer(recorded_ - kept_);  // overwrites the part of the text that was written
  static_cast<void>(put(view(last)) && ::ftruncate(::fileno(file_.get()), end_ + std::ssize(last)) == 0);
  file_.reset();
}

bool Timeline::put(std::string_view text) {
  return std::fseek(file_.get(), end_, SEEK_SET) == 0 &&
         std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
}

}  // namespace tutti
