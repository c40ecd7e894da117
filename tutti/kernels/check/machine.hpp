// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tutti/kernels/check/check.hpp"
#include "tutti/kernels/check/memory.hpp"
#include "tutti/kernels/check/random.hpp"
#include "tutti/kernels/check/words.hpp"
#include "tutti/kernels/code/code.hpp"

namespace tutti::kernels {

/// Thrown where a fault is found.
struct FoundFault {
  FaultKind kind;
  std::string text;
};

/// One call, as every rank launches it.
struct KernelCall {
  std::vector<int> codes;  // by entry: index in GroupSetup::codes
  int grid = 0;
  std::vector<std::vector<LaneWord>> arguments;  // by rank
  std::vector<std::uint64_t> limits;  // by allocation: bytes from its begin that the call may access
  std::vector<int> outputs;           // by rank: an allocation, -1 for none
  bool peers_see_outputs = false;
};

/// The data that all schedules of a check share.
struct GroupSetup {
  int world = 1;
  GroupMemory memory;
  std::vector<KernelCode> codes;
  std::vector<KernelCall> calls;
  /// Compares a rank's output and error words with the definition, after a call.
  std::function<std::optional<FoundFault>(int call, int rank)> compare = {};
  int residency = 0;
  BlockOrder block_order = BlockOrder::ascending;
  int most_delay = 0;
  std::optional<Absence> absent = {};
  std::int64_t most_trips = 0, most_ops_of_turn = 0, wait_limit = 0;
};

/// An access of one turn. Orders compares accesses to find turns that conflict.
struct TurnAccess {
  std::uint64_t address, bytes;
  bool is_write;
};

/// Runs the programs of all ranks, one turn of one actor at a time. Block b of rank r is actor r * blocks() +
/// b. The streams of the ranks, which launch kernels, follow in order of rank.
/// A turn of a block has at most one instruction whose access peers may see.
class KernelMachine {
 public:
  explicit KernelMachine(GroupSetup& setup);

  /// Begins a schedule: resets memory, clocks and streams. About `stale_reads` of 256 atomic reads return an
  /// old value, where the memory model allows one.
  void begin(std::uint64_t seed, int stale_reads);
  const std::vector<int>& ready() const { return ready_; }
  /// Throws FoundFault.
  void turn(int actor);
  /// Lets parked waits with a limit time out, for when no actor is ready. False if no wait has a limit.
  bool expire_waits();
  bool is_finished() const;
  /// Describes the wait of each parked program, for the report of a deadlock.
  std::string waits() const;

  int blocks() const { return blocks_; }
  int actors() const { return static_cast<int>(position_.size()); }
  int rank_of(int actor) const;
  std::int64_t ops() const { return ops_; }
  std::int64_t turns() const { return turns_; }
  std::int64_t timeouts() const { return timeouts_; }
  const std::vector<TurnAccess>& accesses() const { return accesses_; }
  void record_accesses() { records_ = true; }
  void count_traffic() { traffic_.assign(setup_.calls.size(), empty_traffic()); }
  void stop_counting() { traffic_.clear(); }
  const std::vector<Traffic>& traffic() const { return traffic_; }

 private:
  struct Watch {
    std::uint64_t address;
    std::uint32_t bytes;
  };
  enum class State : std::uint8_t { idle, ready, parked };
  struct Registers {
    std::vector<LaneWord> words;
    std::vector<std::uint8_t> poison;
  };
  struct Program {
    State state = State::idle;
    const KernelCode* code = nullptr;
    LaneWord* words = nullptr;
    std::uint8_t* poison = nullptr;
    std::uint32_t pc = 0, call_site = 0;
    int agent = 0, rank = 0, block = 0, call = 0;
    // State of the innermost while loop:
    int spins = 0;  // depth of nested while loops
    bool has_changed = false, has_carried = false, was_stale = false;
    std::vector<Watch> watched;         // read in this round, or by a wait
    std::vector<std::uint8_t> arrived;  // by lane of an unfinished wait: 1 if its wait is over
    bool is_waiting = false, has_expired = false;
    std::int64_t impatient_rounds = 0;  // rounds that it may still spin before it parks again
    bool is_exhausted = false;
    std::uint64_t poison_site = 0, poison_address = 0;  // where the last poison came from
  };
  struct Stream {
    int call = 0;
    std::size_t entry = 0;
    int delay = 0, running = 0;
    std::vector<std::uint32_t> launched;  // the clock of the launch, which each block begins with
    std::vector<int> pending;             // blocks, the next one last
    bool is_done = false;
  };
  /// The last read of an agent that gave no happens-before, and the reason. Reports of races quote it.
  struct Unordered {
    Accessor reader, writer;
    std::string_view why;
  };
  /// The page of the last access, kept for the following lanes.
  struct Place {
    Page* page = nullptr;
    std::uint64_t address = 0;  // of the page's first byte
    std::uint64_t room = 0;     // bytes of it that the call may access
    MemoryRole role = MemoryRole::input;
    std::uint32_t granule = 4;
    bool holds(std::uint64_t at, std::uint64_t size) const {
      return at - address < room && at - address + size <= room;
    }
  };

  // machine.cpp: turns
  void run(Program& program);
  void set_ready(int actor);
  void set_waiting(int actor);
  void park(Program& program);
  void wake(Page& page, std::uint64_t address, std::uint64_t bytes);
  void unwatch(Program& program);
  static bool may_park(Program& program);
  bool skips_iteration(const Program& program, const Instruction& instruction) const;

  // streams.cpp
  void turn_of_stream(int rank);
  void launch(int rank);
  void start_block(int rank, int block);
  void finish(Program& program);
  void finish_call(int rank);
  void clear_output(int rank, int call);
  void read_output(int rank, int call);
  int stream_agent(int rank) const { return setup_.world * blocks_ + rank; }

  // lane_steps.cpp: instructions that touch only registers
  void poison_any(Program& program, const Instruction& instruction);
  void partial(Program& program, const Instruction& instruction);
  void select(Program& program, const Instruction& instruction);
  void gather(Program& program, const Instruction& instruction);
  void fold(Program& program, const Instruction& instruction);
  void add_address(Program& program, const Instruction& instruction);
  void hinted(Program& program, const Instruction& instruction);
  void mask_and(Program& program, const Instruction& instruction);
  bool carry(Program& program, const Instruction& instruction);

  // access.cpp: plain accesses
  void load(Program& program, const Instruction& instruction);
  void store(Program& program, const Instruction& instruction);
  void find(Place& place, const Program& program, const Instruction& instruction, std::uint64_t address,
            std::uint64_t size) const;
  bool is_on(const Program& p, const Instruction& i, std::uint32_t mask, std::uint32_t lane) {
    if (mask == 0) return true;
    need(p, i, mask, lane, "the mask");
    return p.words[mask + 1 + lane] != 0;
  }
  void need(const Program& p, const Instruction& i, std::uint32_t reg, std::uint32_t lane,
            std::string_view what) const {
    if (p.words[reg] != 0 && p.poison[reg + 1 + lane] != 0) [[unlikely]]
      fail_poison(p, i, reg, lane, what);
  }
  std::uint8_t read_shadows(Program& program, const Instruction& instruction, const Place& place,
                            std::uint64_t address, std::uint32_t size, bool is_atomic);
  void write_shadows(Program& program, const Instruction& instruction, const Place& place,
                     std::uint64_t address, std::uint32_t size, bool is_atomic);
  /// Does the plain store of one lane.
  void put(Program& program, const Instruction& instruction, Place& place, std::uint64_t address,
           std::uint64_t bits, std::uint32_t size);
  void count(const Program& program, const Instruction& instruction, const Place& place, bool is_write,
             bool is_atomic);

  // atomics.cpp
  void rmw(Program& program, const Instruction& instruction);
  void atomic_store(Program& program, const Instruction& instruction);
  void atomic_load(Program& program, const Instruction& instruction);
  /// Tries a wait once. False if some lane must still wait.
  bool wait(Program& program, const Instruction& instruction);
  static bool has_limit(const Program& program, const Instruction& instruction, std::uint32_t lane);
  bool has_come(Program& program, const Instruction& instruction, std::uint32_t lane);
  void give_up(Program& program, const Instruction& instruction, std::uint32_t lane);
  std::uint32_t word_at(Program& program, const Instruction& instruction, Place& place,
                        std::uint64_t address);
  /// Draws the age of the message that a read returns.
  std::size_t draw(Program& program, std::uint32_t word);
  /// Reads a message and returns its bits. An acquire joins the clock that the message carries.
  std::uint64_t read_word(Program& program, const Instruction& instruction, const Place& place,
                          std::uint64_t address, std::uint32_t word, std::size_t age);
  void store_word(Program& program, const Instruction& instruction, const Place& place, std::uint64_t address,
                  std::uint32_t word, std::uint64_t bits, bool is_rmw);
  void note_unordered(Program& program, const Instruction& instruction, const Message& message);

  // messages.cpp
  Accessor accessor(const Program& program, const Instruction& instruction) const {
    return {program.agent, program.call_site | instruction.site};
  }
  std::string who(Accessor accessor) const;
  std::string who(const Program& program, const Instruction& instruction) const {
    return who(accessor(program, instruction));
  }
  [[noreturn]] void fail_at(FaultKind kind, const Program& program, const Instruction& instruction,
                            const std::string& text) const;
  [[noreturn]] void fail_race(Accessor by, bool writes, std::uint64_t address,
                              const Conflict& conflict) const;
  [[noreturn]] void fail_poison(const Program& program, const Instruction& instruction, std::uint32_t reg,
                                std::uint32_t lane, std::string_view what) const;
  std::string wait_of(const Program& program) const;
  Traffic empty_traffic() const;

  GroupSetup& setup_;
  int blocks_;  // per rank: the largest grid of all calls
  Clocks clocks_;
  Races races_;
  Words words_;
  Random random_{0};
  int stale_reads_ = 0;
  std::vector<Program> programs_;
  std::vector<Stream> streams_;
  std::vector<std::unique_ptr<Registers>> registers_;  // by agent and code
  std::vector<int> ready_, position_;                  // position_: index in ready_, or -1
  std::vector<Unordered> unordered_;                   // by agent
  std::int64_t ops_ = 0, turns_ = 0, timeouts_ = 0;
  bool records_ = false;
  std::vector<TurnAccess> accesses_;
  std::vector<Traffic> traffic_;
};

}  // namespace tutti::kernels
