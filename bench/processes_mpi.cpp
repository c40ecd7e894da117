// SPDX-License-Identifier: Apache-2.0
// `mpirun -n 2 bench_processes_mpi` measures programs on several processes. A collective is compared with
// the call of MPI on the same data, a training step and a compilation with one process. Variants take
// turns. A time is that of the slowest process. Each line is a row in JSON:
// {"name": .., "bytes": .., "us": .., "peer_us": .., "ratio": ..}.
// With --overlap, a sum and as much work run at the same time. That wants two hosts (tools/two_hosts): on
// one full machine nothing is hidden.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/heat_mpi.hpp"
#include "bench/rows.hpp"
#include "bench/tokens.hpp"
#include "examples/digits_model.hpp"
#include "examples/heat_model.hpp"
#include "examples/support/random.hpp"
#include "examples/support/transformer_start.hpp"
#include "tutti/devices/transport.hpp"
#include "tutti/mpi/open_mpi.hpp"
#include "tutti/run/local_backend.hpp"

#include "tutti/base/inside.hpp"

namespace tutti::bench {
namespace {

using Call = std::function<void()>;

int number_of(int (*ask)(MPI_Comm, int*)) {
  int number = 0;
  ask(MPI_COMM_WORLD, &number);
  return number;
}
int rank() { return number_of(MPI_Comm_rank); }
int ranks() { return number_of(MPI_Comm_size); }

/// Waits for all processes and leaves them the processor: one of them may still measure.
void meet_asleep() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int have_come = 0; have_come == 0; usleep(200)) MPI_Test(&request, &have_come, MPI_STATUS_IGNORE);
}

double of_slowest(double time) {
  double slowest = 0;
  MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

/// A variant that process 0 runs alone does nothing on the others.
double microseconds(const Call& call, int times) {
  meet_asleep();
  MPI_Barrier(MPI_COMM_WORLD);
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < times; ++i) call();
  const double took = microseconds_since(start);
  meet_asleep();
  return of_slowest(took) / times;
}

/// Medians of rounds: five at least, of batches of 10 ms or one call.
void compare(const std::string& name, std::int64_t bytes, const Call& ours, const Call& peer) {
  constexpr double batch_us = 10'000, enough_us = 400'000;
  const double first = std::max(microseconds(ours, 2), microseconds(peer, 2));
  const int times = static_cast<int>(std::clamp(batch_us / first, 1.0, 10'000.0));
  std::vector<double> our_times, peer_times, ratios;
  for (double spent = 0; spent < enough_us || ratios.size() < 5;) {
    our_times.push_back(microseconds(ours, times));
    peer_times.push_back(microseconds(peer, times));
    ratios.push_back(our_times.back() / peer_times.back());
    spent += times * (our_times.back() + peer_times.back());
    if (spent > 8 * enough_us && ratios.size() >= 3) break;
  }
  if (rank() > 0) return;
  const nlohmann::ordered_json row{{"name", name},
                                   {"bytes", bytes},
                                   {"us", median(our_times)},
                                   {"peer_us", median(peer_times)},
                                   {"ratio", median(ratios)}};
  std::cout << row << std::endl;
}

// --- Collectives: one device a process -------------------------------------------------------------

/// A collective of ours, and the call of MPI that fills `received` with what this process gets.
struct Collective {
  const char* name;
  Array (*ours)(const Array& x);
  P out;
  bool gathers;  // each sends an n-th of the bytes, so that the result has them
  void (*peer)(std::vector<float>& sent, std::vector<float>& received);
};

Pairs ring() {
  Pairs pairs;
  for (int i = 0; i < ranks(); ++i) pairs.push_back({i, (i + 1) % ranks()});
  return pairs;
}

const Collective collectives[] = {
    {"psum", [](const Array& x) { return psum(x, "i"); }, P(), false,
     [](auto& sent, auto& received) {
       MPI_Allreduce(sent.data(), received.data(), static_cast<int>(sent.size()), MPI_FLOAT, MPI_SUM,
                     MPI_COMM_WORLD);
     }},
    {"psum_scatter", [](const Array& x) { return psum_scatter(x, "i", {.tiled = true}); }, P("i"), false,
     [](auto& sent, auto& received) {
       MPI_Reduce_scatter_block(sent.data(), received.data(), static_cast<int>(sent.size()) / ranks(),
                                MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
     }},
    {"all_gather", [](const Array& x) { return all_gather(x, "i", {.tiled = true}); }, P("i"), true,
     [](auto& sent, auto& received) {
       const int count = static_cast<int>(sent.size());
       MPI_Allgather(sent.data(), count, MPI_FLOAT, received.data(), count, MPI_FLOAT, MPI_COMM_WORLD);
     }},
    {"all_to_all",
     [](const Array& x) { return all_to_all(x, "i", {.split = 0, .concat = 0, .tiled = true}); }, P("i"),
     false,
     [](auto& sent, auto& received) {
       const int count = static_cast<int>(sent.size()) / ranks();
       MPI_Alltoall(sent.data(), count, MPI_FLOAT, received.data(), count, MPI_FLOAT, MPI_COMM_WORLD);
     }},
    {"ppermute", [](const Array& x) { return ppermute(x, "i", ring()); }, P("i"), false,
     [](auto& sent, auto& received) {
       const int count = static_cast<int>(sent.size()), next = (rank() + 1) % ranks(),
                 before = (rank() + ranks() - 1) % ranks();
       MPI_Sendrecv(sent.data(), count, MPI_FLOAT, next, 0, received.data(), count, MPI_FLOAT, before, 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE);
     }},
};

/// Small whole numbers: every order of a sum gives the same bits.
std::vector<float> numbers(std::int64_t count) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(rank()) * 11) % 15) - 7;
  return numbers;
}

void compare_collective(const Machine& machine, const Collective& collective, std::int64_t bytes) {
  const std::int64_t elements = bytes / 4 / (collective.gathers ? ranks() : 1);
  std::vector<float> sent = numbers(elements), received(static_cast<std::size_t>(bytes / 4));
  const Array x =
      machine.from_shards({elements * ranks()}, P("i"), {{rank(), Tensor({elements}, sent)}}, Where{});
  const auto run = machine.compile(shard_map(collective.ours,
                                             {.mesh = machine.mesh(), .in = P("i"), .out = collective.out}),
                                   x);
  collective.peer(sent, received);
  const Array y = run(x);
  const Tensor found = y.shard(rank());
  check(std::equal(found.as<float>().begin(), found.as<float>().end(), received.begin()), collective.name);
  compare(collective.name, bytes, [&] { run(x); }, [&] { collective.peer(sent, received); });
}

/// Compares the call of a program without transfers with that of the box in one process.
void compare_local_call(const Machine& machine) {
  const std::int64_t elements = 16 << 10;
  const auto body = [](const Array& x) { return x * 2.0F + 1.0F; };
  const Machine alone = open_local(Mesh({{"i", 1}}), {.workers = 1});
  const Tensor own({elements}, numbers(elements));
  const Array x = machine.from_shards({elements * ranks()}, P("i"), {{rank(), own}}, Where{});
  const Array y = alone.place(own, P("i"));
  const auto ours =
      machine.compile(shard_map(body, {.mesh = machine.mesh(), .in = P("i"), .out = P("i")}), x);
  const auto theirs = alone.compile(shard_map(body, {.mesh = alone.mesh(), .in = P("i"), .out = P("i")}), y);
  check(ours(x).shard(rank()) == theirs(y).tensor(), "a program without transfers");
  compare("without transfers, beside one process", elements * 4, [&] { ours(x); }, [&] { theirs(y); });
}

// --- Trainings -------------------------------------------------------------------------------------

/// Calls of a training step whose parameters stay where they are.
template <class Params, class Batch, class Step>
Call steps_of(const Machine& machine, const Step& step, const Params& start, const Batch& batch) {
  auto train = machine.compile(step, start, start, batch);
  struct State {
    Params params, momentum;
  };
  auto state = std::make_shared<State>(State{start, start});
  return [train, state, batch] {
    Array loss;
    std::tie(loss, state->params, state->momentum) =
        train(std::move(state->params), std::move(state->momentum), batch);
  };
}

const Mesh eight({{"data", 4}, {"model", 2}});

digits::Params digits_params() {
  examples::Random random(1);
  return {random.uniform({64, 128}, 0.3), random.uniform({128}, 0.3), random.uniform({128, 10}, 0.3),
          random.uniform({10}, 0.3)};
}
digits::Batch digits_batch(std::int64_t rows) {
  examples::Random random(2);
  Tensor labels({rows}, DType::i32);
  for (std::int64_t i = 0; i < rows; ++i)
    labels.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(i % 10);
  return {random.uniform({rows, 64}, 1), labels};
}

/// Compares all processes, with one worker each, with process 0 alone, with two.
template <class Params, class Batch, class Step>
void compare_training(const std::string& name, const Machine& machine, const Step& step, const Params& start,
                      const Batch& batch) {
  const Call ours = steps_of(machine, step, start, batch);
  Call alone = [] {};
  if (rank() == 0) alone = steps_of(open_local(eight, {.workers = 2}), step, start, batch);
  compare(name + ", beside one process of 2 workers", 0, ours, alone);
}

/// Compares a compilation with that of the box in one process.
void compare_compilation(const Machine& machine) {
  const Mesh box({{"data", 4 / std::min(ranks(), 4)}, {"model", 2}});
  const Machine alone = open_local(box, {.workers = 1});
  const digits::Params params = digits_params();
  const digits::Batch whole = digits_batch(256), part = digits_batch(256 / std::min(ranks(), 4));
  compare(
      "compilation of the digits step, beside its box", 0,
      [&] { machine.compile(digits::sharded_step(eight), params, params, whole); },
      [&] { alone.compile(digits::sharded_step(box), params, params, part); });
}

/// A transport without others: what a process receives is what it sends. That is enough to agree.
class Mirror final : public Transport {
 public:
  using Transport::Transport;

 protected:
  bool serves_two_threads() const override { return false; }
  bool is_done(Ticket) override { return true; }
  std::vector<int> awaited(Ticket) override { return {}; }
  std::size_t start(std::span<const Part> sends, std::span<const Part> receives, int) override {
    for (const Part& to : receives)
      for (const Part& from : sends)
        if (from.process == to.process && from.bytes == to.bytes) std::memcpy(to.at, from.at, to.bytes);
    return 0;
  }
  void tell(int, const std::string&) override {}
  std::optional<Heard> hear() override { return std::nullopt; }
};

/// Compares the compilation for one of very many processes with that of its box in one process.
void compare_compilation_for_many() {
  constexpr int processes = 4096, own = 2048;
  const auto floats = [](const Shape& shape) { return abstract(shape, DType::f32); };
  const digits::Params params{floats({64, 128}), floats({128}), floats({128, 10}), floats({10})};
  const auto compilation = [&](const Machine& machine, std::int64_t rows) {
    const digits::Batch batch{floats({rows, 64}), abstract({rows}, DType::i32)};
    return [=] { machine.compile(digits::sharded_step(machine.mesh()), params, params, batch); };
  };
  Call one_of_many = [] {}, alone = [] {};
  if (rank() == 0) {
    const Mesh all({{"data", 4 * processes}, {"model", 2}});
    one_of_many =
        compilation(Machine(std::make_shared<LocalBackend>(Processes::of(all, processes, own),
                                                           std::make_shared<Mirror>(own, processes, 60.0),
                                                           MachineOptions{.workers = 1})),
                    64 * processes);
    alone = compilation(open_local(eight, {.workers = 1}), 64);
  }
  compare("compilation for one of 4,096 processes, beside its box", 0, one_of_many, alone);
}

// --- Simulations -----------------------------------------------------------------------------------

/// Compares 1,000 time steps of heat on a plate of 512 x 512 with MPI and loops by hand.
void compare_heat() {
  constexpr std::int64_t edge = 512;
  constexpr int steps = 1000;
  const Mesh mesh({{"y", ranks()}, {"x", 1}});
  const Machine machine = open_mpi(mesh, {.machine = {.workers = 1}}, Where{});
  const Tensor own({edge / ranks(), edge}, numbers(edge / ranks() * edge));
  const Array x = machine.from_shards({edge, edge}, heat::by_tiles, {{rank(), own}}, Where{});
  const auto run = machine.compile(heat::sharded_after(mesh, steps), x);
  HeatByMpi by_hand(edge / ranks(), edge, rank(), ranks());
  by_hand.set(numbers(edge / ranks() * edge));
  by_hand.run(steps, heat::spread);
  const Tensor found = run(x).shard(rank());
  const std::vector<float> expected = by_hand.get();
  for (std::size_t i = 0; i < expected.size(); ++i)
    check_close(found.as<float>()[i], expected[i], 1e-4, 1, "heat");
  compare("heat, 1,000 steps", edge * edge * 4, [&] { run(x); }, [&] { by_hand.run(steps, heat::spread); });
}

// --- Overlap ---------------------------------------------------------------------------------------

/// Compares a sum of 8 MiB, and as much work, with one after the other.
void compare_overlap() {
  constexpr std::int64_t elements = 2 << 20, waves = 16 << 10;
  const Machine machine = open_mpi(Mesh({{"i", ranks()}}), {.machine = {.workers = 1}}, Where{});
  const auto spread = [&](std::int64_t count) {
    return machine.from_shards({count * ranks()}, P("i"), {{rank(), Tensor({count}, numbers(count))}},
                               Where{});
  };
  const Array x = spread(elements), y = spread(waves);
  const auto works = [](const Array& start, const Array& trips) {
    return fori_loop(0, trips, [](const Array&, const Array& v) { return sin(v); }, start);
  };
  const auto sums = [](const Array& v) { return psum(v, "i"); };
  const auto does_both = [&](const Array& v, const Array& start, const Array& trips) {
    const auto sum = psum_start(v, "i");
    const Array worked = works(start, trips);
    return std::pair(sum.done(), worked);
  };
  const Mesh& mesh = machine.mesh();
  const auto sum = machine.compile(shard_map(sums, {.mesh = mesh, .in = P("i"), .out = P()}), x);
  const auto work = machine.compile(shard_map(works, {.mesh = mesh, .in = {P("i"), P()}, .out = P("i")}), y,
                                    Tensor::scalar(1));
  const auto both =
      machine.compile(shard_map(does_both, {.mesh = mesh, .in = {P("i"), P("i"), P()}, .out = {P(), P("i")}}),
                      x, y, Tensor::scalar(1));

  constexpr int calls = 5, some = 100;
  const double sum_us = microseconds([&] { sum(x); }, calls);
  const double trip_us = microseconds([&] { work(y, Tensor::scalar(some)); }, calls) / some;
  const Array trips = Tensor::scalar(static_cast<int>(sum_us / trip_us));
  std::vector<double> sum_times, work_times, times, hidden, ratios;
  for (int round = 0; round < 7; ++round) {
    sum_times.push_back(microseconds([&] { sum(x); }, calls));
    work_times.push_back(microseconds([&] { work(y, trips); }, calls));
    times.push_back(microseconds([&] { both(x, y, trips); }, calls));
    const double one_by_one = sum_times.back() + work_times.back();
    hidden.push_back((one_by_one - times.back()) / std::min(sum_times.back(), work_times.back()));
    ratios.push_back(times.back() / one_by_one);
  }
  if (rank() > 0) return;
  const nlohmann::ordered_json row{{"name", "psum and as much work, beside one after the other"},
                                   {"bytes", elements * 4},
                                   {"us", median(times)},
                                   {"peer_us", median(sum_times) + median(work_times)},
                                   {"ratio", median(ratios)},
                                   {"sum_us", median(sum_times)},
                                   {"work_us", median(work_times)},
                                   {"hidden", median(hidden)}};
  std::cout << row << std::endl;
}

void run() {
  {
    const Machine line = open_mpi(Mesh({{"i", ranks()}}), {.machine = {.workers = 1}}, Where{});
    for (const Collective& collective : collectives)
      for (const std::int64_t bytes :
           {std::int64_t{32}, std::int64_t{64} << 10, std::int64_t{1} << 20, std::int64_t{64} << 20})
        compare_collective(line, collective, bytes);
    compare_local_call(line);
  }
  if (ranks() > 4) return;
  const Machine machine = open_mpi(eight, {.machine = {.workers = 1}}, Where{});
  compare_training("digits step", machine, digits::sharded_step(eight), digits_params(), digits_batch(256));
  const auto start = transformer::unrolled_start({}, 1);
  compare_training("transformer step", machine, transformer::sharded_step(eight, start), start, tokens());
  compare_compilation(machine);
  compare_compilation_for_many();
  compare_heat();
}

}  // namespace
}  // namespace tutti::bench

int main(int argc, char** argv) {
  const bool overlap = argc > 1 && std::string_view(argv[1]) == "--overlap";
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, overlap ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  try {
    if (overlap) tutti::bench::compare_overlap();
    else tutti::bench::run();
  } catch (const std::exception& error) {
    std::cerr << "process " << tutti::bench::rank() << ": " << error.what() << "\n";
    return 1;
  }
  MPI_Finalize();
  return 0;
}
