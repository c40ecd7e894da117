// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tutti/base/fork.hpp"
#include "tutti/devices/transport.hpp"

namespace tutti {

/// Carries bytes with messages of MPI from point to point. It has a communicator of its own, so messages of
/// the user and of other machines never meet its own.
class MpiTransport final : public Transport {
 public:
  /// MPI counts the bytes of a message with an int. Larger parts travel as several messages.
  static constexpr std::size_t largest_message = std::size_t{1} << 30;

  /// The processes of `communicator`, with their numbers in it. All of them do this together, with one
  /// `most_bytes`. Throws R007 with MPI's own text, R004 if this thread may not call MPI.
  MpiTransport(MPI_Comm communicator, double limit_seconds, std::size_t most_bytes = largest_message);
  ~MpiTransport() override;

  /// From now on this process says for whom it waits when it is told to end (mpi/last_words.hpp).
  void report_when_ended();

 protected:
  /// False if MPI takes calls from its main thread alone.
  bool serves_two_threads() const override;
  /// Throws R007 if another process has sent another number of bytes, or if MPI fails.
  bool is_done(Ticket ticket) override;
  std::vector<int> awaited(Ticket ticket) override;
  /// Parts without bytes are not sent.
  std::size_t start(std::span<const Part> sends, std::span<const Part> receives, int tag) override;
  void tell(int process, const std::string& text) override;
  std::optional<Heard> hear() override;
  void abandon() override;
  void notice_wait(Lane lane, const std::string& for_whom) override;

 private:
  enum class Way { to, from };
  struct Message {
    Way way;
    int process;
    int bytes;
    std::size_t number, count;  // of the messages of its part
    std::size_t bytes_of_part;
  };
  /// A ticket: one request, message and status for each message. Tickets that have ended are used again.
  struct Posted {
    bool is_open = false;
    std::vector<MPI_Request> requests;
    std::vector<Message> messages;
    std::vector<MPI_Status> statuses;
  };
  struct Told {
    std::string text;
    MPI_Request request;
  };

  std::size_t free_ticket();
  void begin_part(Posted& posted, const Part& part, Way way, int tag);
  void check(const Message& message, const MPI_Status& status, bool has_errors) const;
  template <class F>
  auto attempt(const F& f);
  void forget_texts_that_have_left();

  std::size_t most_bytes_;
  MPI_Comm communicator_;
  std::vector<Posted> posted_;
  std::list<Told> told_;  // texts that may not have left yet; they stay where they are
  MadeHere is_here_;
  bool reports_ = false;
  std::array<std::string, 2> waits_;  // per lane: for whom this process waits
};

}  // namespace tutti
