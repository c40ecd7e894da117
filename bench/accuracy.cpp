// SPDX-License-Identifier: Apache-2.0
// Usage: bench_accuracy points FUNCTION f32|f64 FIRST COUNT FILE
//        bench_accuracy compare FUNCTION f32|f64 FILE [OTHER]
// `points` writes COUNT points for a function: of f32 the bit patterns FIRST, FIRST + STRIDE, .., where COUNT
// of them cover all 2^32 (STRIDE = 2^32 / COUNT); of f64 numbers by round FIRST of tests/support/accuracy.
// `compare` prints the largest error of ours, of the C library and of OTHER, the results of somebody else at
// these points, in units in the last place.
// tools/accuracy runs both.
#include <fmt/core.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/accuracy.hpp"

namespace tutti {
namespace {

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "bench_accuracy: {}\n", why);
  std::exit(2);
}

template <class T>
void write_file(const std::string& path, const std::vector<T>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!file) stop("cannot write " + path);
}

template <class T>
std::vector<T> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) stop("cannot read " + path);
  std::vector<T> values(static_cast<std::size_t>(file.tellg()) / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

template <class T>
std::vector<T> points(const MeasuredFunction& function, std::uint64_t first, std::int64_t count) {
  if constexpr (sizeof(T) == 8) {
    return measured_points<T>(function, count, first);
  } else {
    std::vector<T> found;
    const std::uint64_t stride = (std::uint64_t{1} << 32) / static_cast<std::uint64_t>(count);
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i)
      found.push_back(std::bit_cast<T>(static_cast<std::uint32_t>(first + i * stride)));
    return found;
  }
}

std::string text_of(const Errors& errors) {
  return fmt::format("{:.2f} at {:.9g}, wrong kind {}", errors.ulps, errors.at, errors.wrong) +
         (errors.wrong == 0 ? "" : fmt::format(" at {:.9g}", errors.wrong_at));
}

template <class T>
void compare(const MeasuredFunction& function, const std::string& path, const std::string& other) {
  const std::vector<T> x = read_file<T>(path);
  const std::vector<Exact<T>> exact = exact_values<T>(function.fn, x);
  fmt::print("ours: {}\n", text_of(errors_of<T>(function.fn, x, computed<T>(function.fn, x), exact)));
  if (libm_value(function.fn, T{1})) {
    std::vector<T> found;
    for (T each : x) found.push_back(*libm_value(function.fn, each));
    fmt::print("libm: {}\n", text_of(errors_of<T>(function.fn, x, found, exact)));
  }
  if (other.empty()) return;
  const std::vector<T> found = read_file<T>(other);
  if (found.size() != x.size()) stop(other + " has another number of elements than " + path);
  fmt::print("other: {}\n", text_of(errors_of<T>(function.fn, x, found, exact)));
}

int run(const std::vector<std::string>& words) {
  if (words.size() < 4) stop("see the head of bench/accuracy.cpp");
  const MeasuredFunction* function = measured_function(words[1]);
  if (!function) stop("no function " + words[1]);
  const bool is_f32 = words[2] == "f32";
  if (words[0] == "points" && words.size() == 6) {
    const std::uint64_t first = std::stoull(words[3]);
    const std::int64_t count = std::stoll(words[4]);
    if (is_f32) write_file(words[5], points<float>(*function, first, count));
    else write_file(words[5], points<double>(*function, first, count));
  } else if (words[0] == "compare") {
    const std::string other = words.size() > 4 ? words[4] : "";
    if (is_f32) compare<float>(*function, words[3], other);
    else compare<double>(*function, words[3], other);
  } else {
    stop("see the head of bench/accuracy.cpp");
  }
  return 0;
}

}  // namespace
}  // namespace tutti

int main(int count, char** words) { return tutti::run(std::vector<std::string>(words + 1, words + count)); }
