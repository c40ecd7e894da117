// SPDX-License-Identifier: Apache-2.0
// The twin of bench/collectives.cpp with MPI, one rank per device. The first rank takes the commands
// "prepare" and "measure" of that file and answers like it; meanwhile the others sleep, which MPI's own
// waiting does not.
#include <fcntl.h>
#include <mpi.h>
#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/timing.hpp"

#include "tutti/base/inside.hpp"

namespace {

int rank_of_this() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int ranks() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

/// The buffers that every rank sends and receives; `n` is S in elements, `block` an n-th of it.
struct Buffers {
  std::vector<float> send, receive;
  int n, block;
};

/// Start of bench/collective_chains.hpp.
float start(int rank, long i) { return static_cast<float>((i * 37 + rank * 11) % 15 - 7); }

float sum(long i) {
  float total = 0;
  for (int rank = 0; rank < ranks(); ++rank) total += start(rank, i);
  return total;
}

struct Collective {
  const char* name;
  void (*run)(Buffers&);
  float (*expected)(const Buffers&, long i);  // element i of what this rank has received, after the first run
  bool takes_blocks, gives_blocks;
};

void all_reduce(Buffers& b) {
  MPI_Allreduce(b.send.data(), b.receive.data(), b.n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void psum_link(Buffers& b) {
  all_reduce(b);
  const float share = 0.5F / static_cast<float>(ranks());
  for (std::size_t i = 0; i < b.send.size(); ++i) b.send[i] = b.send[i] * 0.5F + b.receive[i] * share;
}

void all_gather(Buffers& b) {
  MPI_Allgather(b.send.data(), b.block, MPI_FLOAT, b.receive.data(), b.block, MPI_FLOAT, MPI_COMM_WORLD);
}

void reduce_scatter(Buffers& b) {
  MPI_Reduce_scatter_block(b.send.data(), b.receive.data(), b.block, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void all_to_all(Buffers& b) {
  MPI_Alltoall(b.send.data(), b.block, MPI_FLOAT, b.receive.data(), b.block, MPI_FLOAT, MPI_COMM_WORLD);
}

void to_the_next(Buffers& b) {
  const int to = (rank_of_this() + 1) % ranks(), from = (rank_of_this() + ranks() - 1) % ranks();
  MPI_Sendrecv(b.send.data(), b.n, MPI_FLOAT, to, 0, b.receive.data(), b.n, MPI_FLOAT, from, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// The root runs ahead: small ones are a rate, not a latency.
void broadcast(Buffers& b) {
  std::vector<float>& data = rank_of_this() == 1 ? b.send : b.receive;
  MPI_Bcast(data.data(), b.n, MPI_FLOAT, 1, MPI_COMM_WORLD);
}

float gathered(const Buffers& b, long i) { return start(static_cast<int>(i / b.block), i % b.block); }

const std::array<Collective, 8> collectives = {{
    {"psum", all_reduce, [](const Buffers&, long i) { return sum(i); }, false, false},
    {"psum_link", psum_link, [](const Buffers&, long i) { return sum(i); }, false, false},
    {"all_gather_i", all_gather, gathered, true, false},
    {"all_gather_v", all_gather, gathered, true, false},
    {"psum_scatter", reduce_scatter,
     [](const Buffers& b, long i) { return sum(static_cast<long>(rank_of_this()) * b.block + i); }, false,
     true},
    {"all_to_all", all_to_all,
     [](const Buffers& b, long i) {
       return start(static_cast<int>(i / b.block), static_cast<long>(rank_of_this()) * b.block + i % b.block);
     },
     false, false},
    {"ppermute", to_the_next,
     [](const Buffers&, long i) { return start((rank_of_this() + ranks() - 1) % ranks(), i); }, false, false},
    {"pbroadcast", broadcast,
     [](const Buffers& b, long i) { return rank_of_this() == 1 ? b.receive[i] : start(1, i); }, false, false},
}};

std::string quoted_error(const std::string& what) { return "{\"error\": \"" + what + "\"}"; }

class Session {
 public:
  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    return command == "measure" ? measure() : prepare(words);
  }

 private:
  std::string prepare(std::istream& words) {
    std::string name, dtype;
    int devices = 0;
    long bytes = 0;
    words >> name >> devices >> dtype >> bytes;
    collective_ = nullptr;
    if (devices != ranks()) return quoted_error("this run has another number of ranks");
    if (dtype != "f32") return quoted_error("MPI has no sum of " + dtype);
    for (const Collective& known : collectives)
      if (name == known.name) collective_ = &known;
    if (!collective_) return quoted_error("unknown: " + name);
    fill(bytes / static_cast<long>(sizeof(float)));
    collective_->run(buffers_);
    return all_right() ? "{}" : quoted_error(name + ": wrong values");
  }

  void fill(long n) {
    const long block = n / ranks();
    buffers_ = {{}, {}, static_cast<int>(n), static_cast<int>(block)};
    buffers_.send.resize(static_cast<std::size_t>(collective_->takes_blocks ? block : n));
    buffers_.receive.resize(static_cast<std::size_t>(collective_->gives_blocks ? block : n));
    const int rank = rank_of_this();
    for (std::size_t i = 0; i < buffers_.send.size(); ++i)
      buffers_.send[i] = start(rank, static_cast<long>(i));
  }

  /// Looks at every 61st element of large results.
  bool all_right() const {
    int right = 1, everywhere = 0;
    const std::size_t step = buffers_.receive.size() > (1 << 14) ? 61 : 1;
    for (std::size_t i = 0; i < buffers_.receive.size(); i += step)
      right &= buffers_.receive[i] == collective_->expected(buffers_, static_cast<long>(i));
    MPI_Allreduce(&right, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return everywhere == 1;
  }

  std::string measure() {
    if (!collective_) return quoted_error("nothing is prepared");
    const double us = tutti::bench::microseconds_each([&](int times) { return slowest_us(times); });
    return "{\"us\": " + std::to_string(us) + "}";
  }

  /// The time that the slowest rank takes.
  double slowest_us(int times) {
    MPI_Barrier(MPI_COMM_WORLD);
    const tutti::bench::Clock::time_point begin = tutti::bench::Clock::now();
    for (int i = 0; i < times; ++i) collective_->run(buffers_);
    double took = tutti::bench::microseconds_since(begin), slowest = 0;
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
  }

  const Collective* collective_ = nullptr;
  Buffers buffers_{};
};

/// Where all ranks but the first sleep between commands.
class Gate {
 public:
  Gate() {
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "/tutti-bench-%d", static_cast<int>(getpid()));
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    semaphore_ = sem_open(name.data(), O_CREAT, 0600, 0);
    if (semaphore_ == SEM_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_of_this() == 0) sem_unlink(name.data());
  }
  void wait() { sem_wait(semaphore_); }
  void open() {
    for (int i = 1; i < ranks(); ++i) sem_post(semaphore_);
  }

 private:
  sem_t* semaphore_;
};

/// The next command on all ranks; empty at the end.
std::string next_line(Gate& gate) {
  std::string line;
  if (rank_of_this() == 0) {
    std::getline(std::cin, line);
    gate.open();
  } else {
    gate.wait();
  }
  line.resize(256);
  MPI_Bcast(line.data(), static_cast<int>(line.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  return line.c_str();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Gate gate;
    Session session;
    for (std::string line = next_line(gate); !line.empty(); line = next_line(gate)) {
      const std::string answer = session.answer(line);
      if (rank_of_this() == 0) std::cout << answer << std::endl;
    }
  }
  MPI_Finalize();
}
