// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tutti {

/// Counts what one process of a job checks, and prints what is wrong.
class WorkerReport {
 public:
  /// `otherwise()` says what is wrong if `holds` is false.
  template <class F>
  void expect(bool holds, const F& otherwise) {
    ++checked_;
    if (!holds) print(otherwise());
  }
  void expect_equal(const std::string& found, const std::string& expected) {
    expect(found == expected, [&] { return found + "\ninstead of\n" + expected; });
  }
  /// 1 if something is wrong, or if nothing was checked.
  int status() const { return checked_ > 0 && wrong_ == 0 ? 0 : 1; }
  int checked() const { return checked_; }

 private:
  void print(const std::string& text);

  int checked_ = 0, wrong_ = 0;
};

/// The number of this process in MPI_COMM_WORLD, and how many there are.
int own_rank();
int ranks();

/// Every example of every op, and generated programs: on every grid of as many boxes as there are processes,
/// each process has the bits that the whole program has on its devices.
void run_examples(WorkerReport& report);
void run_generated_programs(WorkerReport& report);

/// Two processes: messages of all sizes, what a process says of another one that does something else.
void exchange_messages(WorkerReport& report);

/// Machines of any number of processes; also of parts of a job.
void use_machines(WorkerReport& report);
/// Two processes with two threads. Each thread has a machine, and their calls of MPI take turns.
void use_machines_in_turn(WorkerReport& report);
/// Two processes on two hosts (tools/two_hosts): they send what they must, and 2 % for the heads of packets.
void count_bytes_between_hosts(WorkerReport& report);
/// Two processes that all machines refuse. MPI is finalised afterwards.
void refuse_machines(WorkerReport& report);
/// Where MPI takes calls from its main thread alone.
void use_main_thread(WorkerReport& report);
/// Two processes that open different machines. Ends the process with the status of their error.
[[noreturn]] void open_different_machines();
/// Two processes: the limit of one is no limit; one opens no machine. They end, too.
[[noreturn]] void open_with_other_limits();
[[noreturn]] void open_alone();

/// Process 1 of three makes a fault. The others print their error and end with its status. The fault: process
/// 1 is stopped, is killed, is busy for three seconds, ends without a word, closes the machine, ends with an
/// error of its own, or does something else.
[[noreturn]] void suffer_a_stop();
[[noreturn]] void suffer_a_kill();
[[noreturn]] void suffer_a_pause();
[[noreturn]] void suffer_an_exit();
[[noreturn]] void suffer_an_end();
[[noreturn]] void suffer_an_error();
[[noreturn]] void suffer_another_call();
/// Ends its call by MachineOptions::stop.
[[noreturn]] void suffer_a_stopped_call();
/// Comes late, to bytes of a process that has given up.
[[noreturn]] void suffer_a_late_arrival();

}  // namespace tutti
