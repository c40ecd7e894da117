// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

class Carrier;

/// "process 1", "processes 0, 2".
std::string names_of(const std::vector<int>& processes);

/// Carries bytes between the processes of a job. Each process has its own. Processes that share a machine do
/// the same things in one order; each thing has a number here. A process that waits says where it is to
/// others who ask, and asks them once its patience ends.
/// Two threads may use it: that of the call, and its carrier.
class Transport {
 public:
  /// Messages of one lane never meet those of the other.
  enum class Lane { call, carrier };
  struct Part {
    int process;
    std::byte* at;
    std::size_t bytes;
  };
  struct Ticket {
    std::size_t number;
    bool receives;
    Lane lane;
  };

  /// Process `self` of `count`. It waits `limit_seconds` for the others; 0: for ever.
  Transport(int self, int count, double limit_seconds);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport();

  int self() const { return self_; }
  int count() const { return count_; }

  /// Begins to send and to receive. Parts to one process arrive there in their order. `place`: where the
  /// program is, the same on all processes. Messages arrive in the order of post, and only at the same place
  /// of the same thing. The bytes belong to the transport until finish() returns.
  Ticket post(std::span<const Part> sends, std::span<const Part> receives, std::string_view place,
              Lane lane = Lane::call);

  /// Begins the next thing that all processes do together: a call, a compilation. Throws R007 if the machine
  /// has failed.
  void begin();
  /// Waits until all parts of a ticket have arrived and left. Throws R007 if a process that is awaited has
  /// left what it does, or does not come within the limit. A process that answers that it is at the same
  /// place gets ten times the limit, because large parts take long. Sleeps between its looks while
  /// `may_rest` is true.
  void finish(Ticket ticket, const std::atomic<bool>& may_rest = never);
  /// Returns the thread that may use the transport while the call computes; null if there may be no such
  /// thread.
  Carrier* carrier();
  /// Says that parts will be exchanged. A process that leaves after this fails the machine.
  void commit();
  /// Says that all processes end what they do in the same way, if by an error: they have agreed on it.
  void agree();
  /// Tells the others that this process alone leaves what it does, and why. Those that wait for it then throw
  /// R007. So does this process later, if it has committed itself.
  void leave(const std::string& why);
  /// The same, with the text of an exception.
  void leave(const std::exception_ptr& failure);
  /// True after R007: nothing can be done together any more.
  bool has_failed() const;
  /// How the processes of a machine part.
  enum class Parting {
    together,         // all have closed it
    alone,            // some have not yet, or this process ends by an error
    after_a_failure,  // another one has failed, and closes nothing any more
  };
  /// The last thing: tells the others that nothing more comes from this process, and waits up to a second
  /// for the same from them.
  Parting close();

 protected:
  /// True if two threads may use the transport, one after the other.
  virtual bool serves_two_threads() const = 0;
  /// True once all parts of a ticket have arrived and left. Then the ticket ends. Does not wait.
  virtual bool is_done(Ticket ticket) = 0;
  /// The processes whose parts of a ticket have not arrived, or not left.
  virtual std::vector<int> awaited(Ticket ticket) = 0;
  /// post, of messages with a tag from 0 to most_tags - 1: those with other tags do not meet. Returns the
  /// ticket's number.
  virtual std::size_t start(std::span<const Part> sends, std::span<const Part> receives, int tag) = 0;
  static constexpr int most_tags = 1 << 14;

  struct Heard {
    int process;
    std::string text;
  };
  /// Sends a short text to a process. It is no part of a ticket. Does not wait.
  virtual void tell(int process, const std::string& text) = 0;
  /// The next text that another process has told.
  virtual std::optional<Heard> hear() = 0;
  /// Says for whom a thread of this process has waited for a tenth of a second, and where; empty: it goes on.
  virtual void notice_wait(Lane lane, const std::string& for_whom) {
    static_cast<void>(lane);
    static_cast<void>(for_whom);
  }
  /// The machine has failed, and the others know: ends all tickets, before their memory is given back.
  virtual void abandon() {}
  /// For destructors: tells the others that nothing more comes from this process. Does not wait.
  void say_farewell();

 private:
  /// A process that has left, and why.
  struct Departure {
    int process;
    std::int64_t number;  // of the last thing that it does not do; for_ever: it does nothing any more
    bool has_closed;      // it has ended well
    std::optional<std::int64_t> has_failed_at;  // the number of the thing that it could not end
    std::string why;
  };
  /// Where a process waits, and in which thing.
  struct Answer {
    std::int64_t number;
    std::vector<std::string> places;
  };
  /// Clears what notice_wait() said, however finish() ends.
  class WaitNoticed;
  static std::string reason_of(const Departure& left);
  static const std::atomic<bool> never;
  using Lock = std::unique_lock<std::recursive_mutex>;

  /// Where this process waits, one place a line.
  std::string places() const;
  std::string& place_of(Ticket ticket) { return places_[static_cast<std::size_t>(ticket.lane)]; }
  void require_no_failure() const;
  void tell_all(const std::string& text);
  /// Why a part of the ticket will never come; empty: it may.
  std::string reason_to_stop(Ticket ticket);
  void listen();
  [[noreturn]] void fail_with(std::string why);
  /// Asks the others where they are. Returns whether the parts have come meanwhile; false: they may still.
  bool has_come_while_asking(Ticket ticket, int times_asked, Lock& turn);

  /// alone: nobody waits for this process yet. committed: others count on it. agreed: all processes know how
  /// the thing ends. failed: the machine can do nothing more.
  enum class State { alone, committed, agreed, failed };

  int self_, count_;
  std::chrono::duration<double> limit_;
  std::int64_t number_ = 0;  // of the thing that this process does
  State state_ = State::alone;
  std::array<std::string, 2> places_;             // per lane, while it waits
  std::array<std::map<int, Answer>, 2> answers_;  // per lane, of the processes that were asked
  std::vector<Departure> left_;                   // in the order in which they said so
  std::string failure_;
  bool has_said_farewell_ = false;
  mutable std::recursive_mutex turn_;  // of the two threads
  std::unique_ptr<Carrier> carrier_;   // made when it is needed first
};

}  // namespace tutti
