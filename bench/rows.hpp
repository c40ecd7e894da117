// SPDX-License-Identifier: Apache-2.0
// Shared code of the programs behind the table of bench/programs.py: the commands that they answer, and the
// checks.
//   measure NAME SIZE   {"us": .., "value": .., "arena": bytes}, or {"error": ..} if Tutti refuses the program;
//                       the first time it also compiles and checks the values: a wrong one ends the process
//   forget              {}: frees everything that was measured
// One command per line of standard input, one answer in JSON per line.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/timing.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti::bench {

using Json = nlohmann::json;
using Measure = std::function<Json()>;

struct Row {
  std::string_view name;
  Measure (*prepare)(std::int64_t size);
};

/// Ends the process: times of wrong numbers mean nothing.
inline void check(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("wrong result: " + what);
}
/// `tolerance` is relative to `scale`.
inline void check_close(double found, double expected, double tolerance, double scale,
                        const std::string& what) {
  check(std::abs(found - expected) <= tolerance * scale,
        what + ": found " + std::to_string(found) + ", expected " + std::to_string(expected));
}

/// The mean of absolute values: "value" of an answer, which JAX's must equal.
template <class T>
double mean_size(const std::vector<T>& elements) {
  double all = 0;
  for (T element : elements) all += std::abs(static_cast<double>(element));
  return all / static_cast<double>(elements.size());
}

inline Mesh one_device() { return Mesh({{"x", 1}}); }

/// From -1 to 1, in a period of 2001; value_of in bench/programs_peer.py.
inline float value_of(std::int64_t i) { return static_cast<float>(i * 7919 % 2001) / 1000 - 1; }
inline Tensor values(const Shape& shape, float scale = 1) {
  Tensor x(shape, DType::f32);
  float* to = x.mutable_data<float>();
  for (std::int64_t i = 0; i < x.elements(); ++i) to[i] = value_of(i) * scale;
  return x;
}

/// From -1 to 1, in no order. scattered() in bench/programs_peer.py.
inline Tensor scattered(const Shape& shape) {
  Tensor x(shape, DType::f32);
  float* to = x.mutable_data<float>();
  for (std::int64_t i = 0; i < x.elements(); ++i)
    to[i] = static_cast<float>(static_cast<std::uint32_t>(i) * 2'654'435'761U >> 8) * 0x1p-23F - 1;
  return x;
}

inline double median(std::vector<double> times) {
  const auto middle = times.begin() + std::ssize(times) / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Median time of a call: of 50 ms of calls, three at least unless they take more than 1 s. One before that
/// is not counted.
template <class Call>
double microseconds_a_call(const Call& call) {
  constexpr double block_us = 50'000, most_us = 1'000'000;
  std::vector<double> times;
  double spent = 0;
  const auto one_more = [&] {
    const Clock::time_point start = Clock::now();
    call();
    times.push_back(microseconds_since(start));
    spent += times.back();
  };
  one_more();
  if (spent < block_us) {
    times.clear();
    spent = 0;
  }
  while (spent < block_us || (times.size() < 3 && spent < most_us)) one_more();
  return median(std::move(times));
}

/// Answers until the end of the input. The exit status of the process.
inline int answer(std::span<const Row> rows) {
  std::map<std::string, Measure> prepared;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command, name;
    std::int64_t size = 0;
    words >> command >> name >> size;
    const auto row = std::ranges::find(rows, name, &Row::name);
    Json reply = Json::object();
    try {
      if (command == "forget") prepared.clear();
      else if (command != "measure" || row == rows.end()) throw std::runtime_error("no command: " + line);
      else if (auto found = prepared.find(line); found != prepared.end()) reply = found->second();
      else reply = prepared.emplace(line, row->prepare(size)).first->second();
    } catch (const Error& error) {
      reply = {{"error", error.what()}, {"code", info(error.code()).label}};
    } catch (const std::exception& mistake) {
      std::cerr << line << ": " << mistake.what() << "\n";
      return 1;
    }
    std::cout << reply << std::endl;
  }
  return 0;
}

}  // namespace tutti::bench
