// SPDX-License-Identifier: Apache-2.0
// The collectives that bench/collectives.cpp times, as chains of links in one program, with the values that
// must come out. bench/collectives_peer.py has the same for JAX, bench/collectives_mpi.cpp for Open MPI.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tutti/api/shard_map.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/broadcast.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/optimization_barrier.hpp"
#include "tutti/run/executable.hpp"
#include "tutti/tensor/loops/elementwise.hpp"

namespace tutti::bench {

/// The input of each device: whole numbers from -7 to 7 that differ between devices and elements. Sums of
/// eight are exact in bf16, too.
struct Start {
  static constexpr double largest = 7;

  int devices;
  std::int64_t elements;  // S, the larger of a device's operand and result

  std::int64_t block() const { return elements / devices; }
  double operator()(int device, std::int64_t i) const {
    return static_cast<double>((i * 37 + device * 11) % 15) - largest;
  }
  double sum(std::int64_t i) const {
    double total = 0;
    for (int device = 0; device < devices; ++device) total += (*this)(device, i);
    return total;
  }
};

/// One collective over the axis "i" and how it is chained in one program. A bare collective is the body of a
/// loop, so that no link is fused with the next and each leaves its result in memory; a link with an update
/// is written out, so that it may be.
struct Collective {
  std::string_view name;
  Array (*link)(const Array& operand);
  enum class Operand { first, last_result } operand;  // of the second link and all that follow
  enum class Links { in_a_loop, written_out } links;
  bool takes_blocks;   // the operand has S / devices, the result S; else the operand has S
  bool result_varies;  // else all devices have one result together
  /// The bytes that a link has to read and write, as multiples of S: per device, and in all.
  int per_device, in_all;
  /// The most roundings of a link, in units of the magnitude of the values.
  int roundings;
  double (*expected)(const Start& start, int links, int device, std::int64_t i);

  /// The number of bytes whose copy moves as much as a link: a copy reads and writes each byte.
  std::size_t copied_bytes(int devices, std::size_t bytes) const {
    return static_cast<std::size_t>(per_device * devices + in_all) * bytes / 2;
  }
};

inline Pairs ring() {
  const int n = AxisNames("i").resolve()[0].size;
  Pairs pairs;
  for (int i = 0; i < n; ++i) pairs.emplace_back(i, (i + 1) % n);
  return pairs;
}

/// x / 2 + sum / (2 * devices) goes to the mean and stays there. (With 8 devices: x / 2 + sum / 16.)
inline Array psum_link(const Array& x) {
  return x * 0.5 + psum(x, "i") * (0.5 / AxisNames("i").resolve()[0].size);
}
inline double after_psum_links(const Start& start, int links, int device, std::int64_t i) {
  const double mean = start.sum(i) / start.devices;
  return mean + (start(device, i) - mean) * std::ldexp(1, -links);
}

inline double gathered(const Start& start, int, int, std::int64_t i) {
  return start(static_cast<int>(i / start.block()), i % start.block());
}

inline constexpr auto first = Collective::Operand::first, last_result = Collective::Operand::last_result;
inline constexpr auto in_a_loop = Collective::Links::in_a_loop, written_out = Collective::Links::written_out;

inline constexpr std::array<Collective, 8> collectives = {{
    {"psum", [](const Array& x) { return psum(x, "i"); }, first, in_a_loop, false, false, 1, 1, 0,
     [](const Start& start, int, int, std::int64_t i) { return start.sum(i); }},
    // In one region with its psum, in place: all shards are read and written once a link.
    {"psum_link", psum_link, last_result, written_out, false, true, 2, 0, 3, after_psum_links},
    // One result for all devices ..
    {"all_gather_i",
     [](const Array& x) { return all_gather(x, "i", {.tiled = true, .to = State::invariant}); }, first,
     in_a_loop, true, false, 0, 2, 0, gathered},
    // .. and one for each.
    {"all_gather_v", [](const Array& x) { return all_gather(x, "i", {.tiled = true, .to = State::varying}); },
     first, in_a_loop, true, true, 1, 1, 0, gathered},
    {"psum_scatter", [](const Array& x) { return psum_scatter(x, "i", {.tiled = true}); }, first, in_a_loop,
     false, true, 1, 1, 0,
     [](const Start& start, int, int device, std::int64_t i) {
       return start.sum(device * start.block() + i);
     }},
    {"all_to_all", [](const Array& x) { return all_to_all(x, "i", {.tiled = true}); }, last_result, in_a_loop,
     false, true, 2, 0, 0,
     [](const Start& start, int links, int device, std::int64_t i) {
       if (links % 2 == 0) return start(device, i);
       return start(static_cast<int>(i / start.block()), device * start.block() + i % start.block());
     }},
    {"ppermute", [](const Array& x) { return ppermute(x, "i", ring()); }, last_result, in_a_loop, false, true,
     2, 0, 0,
     [](const Start& start, int links, int device, std::int64_t i) {
       return start((device + start.devices - links % start.devices) % start.devices, i);
     }},
    {"pbroadcast", [](const Array& x) { return pbroadcast(x, "i", {.source = 1}); }, first, in_a_loop, false,
     false, 0, 2, 0, [](const Start& start, int, int, std::int64_t i) { return start(1, i); }},
}};

/// The function of one device.
inline Array chain(const Collective& collective, const Array& x, int links) {
  // The barrier: a link on the first operand may not be done once for all.
  auto next = [&](const Array& y) {
    return collective.link(collective.operand == last_result ? y
                                                             : optimization_barrier(std::pair{x, y}).first);
  };
  Array y = collective.link(x);
  if (collective.links == in_a_loop && links > 1)
    return fori_loop(1, links, [&](const Array&, const Array& last) { return next(last); }, y);
  for (int i = 1; i < links; ++i) y = next(y);
  return y;
}

/// The operand of all devices: what each starts from.
inline std::shared_ptr<const GlobalArray> operand_of(const Collective& collective, const Start& start,
                                                     DType dtype) {
  const std::int64_t elements = collective.takes_blocks ? start.block() : start.elements;
  Tensor values(Shape{elements * start.devices}, DType::f32);
  float* to = values.mutable_data<float>();
  for (int device = 0; device < start.devices; ++device)
    for (std::int64_t i = 0; i < elements; ++i) *to++ = static_cast<float>(start(device, i));
  if (dtype != DType::f32) {
    Tensor converted(values.shape(), dtype);
    const std::byte* const from[] = {values.data()};
    convert_kernel(DType::f32, dtype)(converted.mutable_bytes(), from, values.elements());
    values = converted;
  }
  const Mesh mesh({{"i", start.devices}});
  return std::make_shared<const GlobalArray>(
      GlobalArray::distributed(values, {mesh, {{mesh.axes()[0]}}, {}, {}}));
}

/// `links` links of a collective, compiled for an operand.
class Chain {
 public:
  Chain(const Collective& collective, const Start& start, int links,
        std::shared_ptr<const GlobalArray> operand, Team& team)
      : collective_(collective),
        start_(start),
        links_(links),
        inputs_{std::move(operand)},
        executable_(program(), Mesh({{"i", start.devices}}), team) {}

  GlobalArrays run() { return executable_.run(inputs_); }
  int links() const { return links_; }
  std::string explain() const { return executable_.explain(); }

  /// The first wrong element of the result; empty if all are right. Looks at every 61st element of large
  /// results.
  std::string mistake() {
    const GlobalArrays results = run();
    const double eps = inputs_[0]->type().dtype() == DType::bf16 ? 0x1p-8 : 0x1p-24;
    const double bound = links_ == 1 ? 0 : collective_.roundings * links_ * eps * Start::largest;
    for (int device = 0; device < (collective_.result_varies ? start_.devices : 1); ++device) {
      const Tensor shard = results[0]->shard(device);
      for (std::int64_t i = 0; i<shard.elements(); i += shard.elements()>(1 << 14) ? 61 : 1) {
        const double expected = collective_.expected(start_, links_, device, i), found = shard.at(i);
        if (!(std::abs(found - expected) <= bound))
          return fmt::format("{}: {} links on {} devices: element {} of device {} is {}, not {}",
                             collective_.name, links_, start_.devices, i, device, found, expected);
      }
    }
    return {};
  }

 private:
  Program program() const {
    auto body = [this](const Array& x) { return chain(collective_, x, links_); };
    auto mapped = shard_map(body, {.mesh = Mesh({{"i", start_.devices}}),
                                   .in = P("i"),
                                   .out = collective_.result_varies ? P("i") : P()});
    return trace({inputs_[0]->type()}, [&](const Arrays& x) { return Arrays{mapped(x[0])}; }).program;
  }

  const Collective& collective_;
  Start start_;
  int links_;
  GlobalArrays inputs_;
  Executable executable_;
};

}  // namespace tutti::bench
