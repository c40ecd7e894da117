// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/joined_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace tutti {
namespace {

constexpr std::string_view began_key = "\"beganUnixNs\":", job_key = ",\"job\":", time_key = ",\"ts\":",
                           left_out_key = "_left_out\":";

std::optional<std::int64_t> number_after(const std::string& line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoll(line.c_str() + at + key.size(), nullptr, 10);
}

/// The file of a process: a line per event between the first line and the two last ones.
struct OfProcess {
  std::string path;
  std::int64_t began, job;
};

std::optional<OfProcess> found(const std::string& path) {
  if (is_special_file(path)) return std::nullopt;
  std::ifstream file(path);
  std::string head;
  if (!std::getline(file, head)) return std::nullopt;
  const std::optional<std::int64_t> began = number_after(head, began_key), job = number_after(head, job_key);
  return began && job ? std::optional(OfProcess{path, *began, *job}) : std::nullopt;
}

/// An event without the comma behind it, its time in microseconds moved.
std::string moved(std::string line, std::int64_t nanoseconds) {
  if (line.ends_with(',')) line.pop_back();
  const std::size_t key = line.rfind(time_key);
  if (key == std::string::npos) return line;  // the name of a track
  const std::size_t begin = key + time_key.size(), end = line.find(',', begin);
  std::string digits = line.substr(begin, end - begin);
  std::erase(digits, '.');  // three decimals
  const std::int64_t time = std::stoll(digits) + nanoseconds;
  return line.replace(begin, end - begin, fmt::format("{}.{:03}", time / 1000, time % 1000));
}

void put(std::FILE* to, const std::string& text) {
  require_done(std::fwrite(text.data(), 1, text.size(), to) == text.size(), "cannot be written");
}

}  // namespace

std::string timeline_of_process(const std::string& path, int process) {
  if (path.empty() || process == 0) return path;
  const std::filesystem::path whole(path);
  return (whole.parent_path() / whole.stem()).string() + fmt::format(".{}", process) +
         whole.extension().string();
}

bool join_timelines(const std::string& path, int processes) try {
  std::vector<OfProcess> all;
  for (int process = 0; process < processes; ++process)
    if (const std::optional<OfProcess> one = found(timeline_of_process(path, process))) all.push_back(*one);
  if (all.empty() || all[0].path != path) return true;
  std::erase_if(all, [job = all[0].job](const OfProcess& one) { return one.job != job; });
  if (all.size() == 1) return true;
  const std::int64_t began = std::ranges::min(all, {}, &OfProcess::began).began;
  write_whole(path, ".json", {}, [&](std::FILE* to) {
    put(to, fmt::format("{{\"displayTimeUnit\":\"ns\",{}{}{}{},\"traceEvents\":[", began_key, began, job_key,
                        all[0].job));
    std::int64_t left_out = 0;
    const char* comma = "\n";
    for (const OfProcess& one : all) {
      std::ifstream file(one.path);
      std::string line;
      std::getline(file, line);
      while (std::getline(file, line)) {
        if (line.starts_with(']')) {
          left_out += number_after(line, left_out_key).value_or(0);
          continue;
        }
        put(to, comma + moved(std::move(line), one.began - began));
        comma = ",\n";
      }
    }
    put(to, fmt::format("\n],\"otherData\":{{\"events{}{}}}}}\n", left_out_key, left_out));
  });
  std::error_code ignored;
  for (std::size_t i = 1; i < all.size(); ++i) std::filesystem::remove(all[i].path, ignored);
  return true;
} catch (const std::exception&) {
  return false;
}

}  // namespace tutti
