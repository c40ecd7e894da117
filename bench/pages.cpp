// SPDX-License-Identifier: Apache-2.0
// Writes the page of a program of so many rows, and prints one line of JSON about it:
//   bench_pages ROWS FILE
//   {"rows": .., "bytes": of the file, "bytes_a_row": of its data, "report_us": .., "save_us": ..}
#include <cstdio>
#include <filesystem>
#include <string>

#include "bench/timing.hpp"
#include "tutti/tutti.hpp"

namespace {

using namespace tutti;

/// Rows as they stand in programs: functions of elements on many lines, a sum over devices in each 20th row.
Array many(Array x, int rows) {
  for (int row = 3; row + 3 <= rows; row += 10) {
    x = sin(x) * 0.5F;
    x = x + cos(x);
    x = row % 20 < 10 ? x / psum(x, "data") : x - pmax(x, "data");
    x = exp(-x);
  }
  return x;
}

}  // namespace

int main(int, char** argv) {
  const int rows = std::stoi(argv[1]);
  const Mesh mesh({{"data", 4}, {"model", 2}});
  const auto run = open_local(mesh).compile(shard_map([rows](const Array& x) { return many(x, rows); },
                                                      {.mesh = mesh, .in = P("data"), .out = P("data")}),
                                            abstract({64, 32}, DType::f32));
  const auto start = bench::Clock::now();
  const Report report = run.report();
  const double report_us = bench::microseconds_since(start);
  const auto data = to_json(report).size();
  const auto before = bench::Clock::now();
  save_page(argv[2], report);
  const double save_us = bench::microseconds_since(before);
  const auto count = report.program.rows.size() + report.program.inputs.size();
  std::printf(
      "{\"rows\": %zu, \"bytes\": %zu, \"bytes_a_row\": %.1f, \"report_us\": %.0f, \"save_us\": %.0f}\n",
      count, static_cast<std::size_t>(std::filesystem::file_size(argv[2])),
      static_cast<double>(data) / static_cast<double>(count), report_us, save_us);
  return 0;
}
