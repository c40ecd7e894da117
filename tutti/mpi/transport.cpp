// SPDX-License-Identifier: Apache-2.0
#include "tutti/mpi/transport.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/mpi/last_words.hpp"
#include "tutti/mpi/library.hpp"

namespace tutti {
namespace {

// Tags of the communicator.
constexpr int text_tag = 1, first_part_tag = 2;  // MPI has 32,767 at least
constexpr std::size_t longest_text = 2'000;  // shorter than what MPI sends before the receiver asks for it

int rank_in(MPI_Comm communicator) {
  const MpiTurn turn;
  int rank = 0;
  require_mpi_success(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of(MPI_Comm communicator) {
  const MpiTurn turn;
  int size = 0;
  require_mpi_success(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
  return size;
}

/// Errors of MPI come back as statuses, whatever the user wants for the communicator. The user's handler
/// returns.
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_get_errhandler(communicator_, &before_);
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturn() {
    MPI_Comm_set_errhandler(communicator_, before_);
    MPI_Errhandler_free(&before_);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  MPI_Comm communicator_;
  MPI_Errhandler before_ = MPI_ERRORS_ARE_FATAL;
};

MPI_Comm duplicate_of(MPI_Comm communicator, double limit_seconds) {
  const MpiTurn turn;
  const ErrorsReturn errors(communicator);
  MPI_Request request = MPI_REQUEST_NULL;
  // MPI writes to it until all processes have come, maybe after this function has given up.
  auto own = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
  require_mpi_success(MPI_Comm_idup(communicator, own.get(), &request), "MPI_Comm_idup");
  const auto start = std::chrono::steady_clock::now();
  for (int have_come = 0; have_come == 0; std::this_thread::yield()) {
    require_mpi_success(MPI_Test(&request, &have_come, MPI_STATUS_IGNORE), "MPI_Comm_idup");
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    if (have_come != 0 || limit_seconds <= 0 || waited.count() < limit_seconds) continue;
    static NeverDestroyed<std::list<std::unique_ptr<MPI_Comm>>> unfinished;
    unfinished->push_back(std::move(own));
    leave_mpi_unfinalised();
    fail(Code::peer, "not all processes of the communicator have opened a machine of it for {} s",
         limit_seconds);
  }
  require_mpi_success(MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return *own;
}

int class_of(int status) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(status, &error_class);
  return error_class;
}

}  // namespace

MpiTransport::MpiTransport(MPI_Comm communicator, double limit_seconds, std::size_t most_bytes)
    : Transport(rank_in(communicator), size_of(communicator), limit_seconds),
      most_bytes_(most_bytes),
      communicator_(duplicate_of(communicator, limit_seconds)) {}

MpiTransport::~MpiTransport() {
  // Texts that MPI may still read. They outlive all machines.
  static NeverDestroyed<std::list<Told>> unread;
  if (!is_here_.is_true() || !may_call_mpi()) return;
  say_farewell();
  if (std::ranges::any_of(posted_, &Posted::is_open)) abandon();
  // A communicator must not be freed while something may come: Open MPI gives its number to the next one,
  // which would receive what comes late. Processes that still compute close much later than this one.
  const Parting parting = close();
  if (parting == Parting::after_a_failure) await_end_of_job();
  const MpiTurn turn;
  forget_texts_that_have_left();
  unread->splice(unread->end(), told_);
  if (parting == Parting::together) MPI_Comm_free(&communicator_);
}

void MpiTransport::forget_texts_that_have_left() {
  std::erase_if(told_, [](Told& told) {
    int has_left = 1;
    return MPI_Test(&told.request, &has_left, MPI_STATUS_IGNORE) != MPI_SUCCESS || has_left != 0;
  });
}

/// Calls functions of MPI. If they fail, no process can trust what it has: this one takes part no more, and
/// says so.
template <class F>
auto MpiTransport::attempt(const F& f) {
  try {
    const MpiTurn turn;
    return f();
  } catch (const Error& error) {
    if (error.code() == Code::peer) leave(error.message());
    throw;
  }
}

std::size_t MpiTransport::start(std::span<const Part> sends, std::span<const Part> receives, int tag) {
  return attempt([&] {
    const std::size_t ticket = free_ticket();
    Posted& posted = posted_[ticket];
    posted.is_open = true;
    for (const Part& part : receives) begin_part(posted, part, Way::from, first_part_tag + tag);
    for (const Part& part : sends) begin_part(posted, part, Way::to, first_part_tag + tag);
    posted.statuses.resize(posted.requests.size());
    return ticket;
  });
}

bool MpiTransport::serves_two_threads() const {
  const MpiTurn turn;
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level >= MPI_THREAD_SERIALIZED;
}

void MpiTransport::report_when_ended() {
  reports_ = true;
  write_last_words_when_ended();
}

void MpiTransport::notice_wait(Lane lane, const std::string& for_whom) {
  if (!reports_) return;
  waits_[static_cast<std::size_t>(lane)] = for_whom;
  const auto& [call, carrier] = waits_;
  const std::string all = call + (call.empty() || carrier.empty() ? "" : ", and for ") + carrier;
  set_last_words(
      all.empty() ? "" : fmt::format("process {} was told to end while it waited for {}\n", self(), all));
}

std::size_t MpiTransport::free_ticket() {
  const auto free = std::ranges::find(posted_, false, &Posted::is_open);
  if (free != posted_.end()) return static_cast<std::size_t>(free - posted_.begin());
  posted_.emplace_back();
  return posted_.size() - 1;
}

/// Sender and receiver cut a part in the same way: both know its bytes.
void MpiTransport::begin_part(Posted& posted, const Part& part, Way way, int tag) {
  const std::size_t count = part.bytes / most_bytes_ + (part.bytes % most_bytes_ > 0 ? 1 : 0);
  for (std::size_t number = 0; number < count; ++number) {
    const std::size_t from = number * most_bytes_;
    const int bytes = static_cast<int>(std::min(most_bytes_, part.bytes - from));
    MPI_Request request = MPI_REQUEST_NULL;
    if (way == Way::from)
      require_mpi_success(MPI_Irecv(part.at + from, bytes, MPI_BYTE, part.process, tag, communicator_,
                                    &request),
                          "MPI_Irecv");
    else
      require_mpi_success(MPI_Isend(part.at + from, bytes, MPI_BYTE, part.process, tag, communicator_,
                                    &request),
                          "MPI_Isend");
    posted.requests.push_back(request);
    posted.messages.push_back({way, part.process, bytes, number + 1, count, part.bytes});
  }
}

bool MpiTransport::is_done(Ticket ticket) {
  return attempt([&] {
    Posted& posted = posted_.at(ticket.number);
    const int count = static_cast<int>(posted.requests.size());
    int are_done = 1;
    const int status = count == 0
                           ? MPI_SUCCESS
                           : MPI_Testall(count, posted.requests.data(), &are_done, posted.statuses.data());
    if (status == MPI_SUCCESS && are_done == 0) return false;
    const bool has_errors = class_of(status) == MPI_ERR_IN_STATUS;
    if (!has_errors) require_mpi_success(status, "MPI_Testall");
    for (std::size_t i = 0; i < posted.messages.size(); ++i)
      check(posted.messages[i], posted.statuses[i], has_errors);
    posted.requests.clear();
    posted.messages.clear();
    posted.is_open = false;
    return true;
  });
}

/// A message of another size means that the processes do different things.
void MpiTransport::check(const Message& message, const MPI_Status& status, bool has_errors) const {
  const int error = has_errors ? status.MPI_ERROR : MPI_SUCCESS;
  if (class_of(error) == MPI_ERR_PENDING || (error == MPI_SUCCESS && message.way == Way::to)) return;
  const bool is_too_large = class_of(error) == MPI_ERR_TRUNCATE;
  if (error != MPI_SUCCESS && !is_too_large)
    fail(Code::peer, "the message {} process {}: {}", message.way == Way::to ? "to" : "from", message.process,
         mpi_text(error));
  int found = 0;
  MPI_Get_count(&status, MPI_BYTE, &found);
  if (found == message.bytes && !is_too_large) return;
  const bool is_known =
      found > message.bytes || !is_too_large;  // of one that is too large, some MPIs tell no size
  const std::string size = is_known ? std::to_string(found) : "more than " + std::to_string(message.bytes);
  if (message.count == 1)
    fail(Code::peer, "process {} sent {} bytes where process {} expects {}", message.process, size, self(),
         message.bytes);
  fail(Code::peer,
       "process {} sent another number of bytes than the {} that process {} expects: message {} of {} has {} "
       "bytes, "
       "not {}",
       message.process, message.bytes_of_part, self(), message.number, message.count, size, message.bytes);
}

std::vector<int> MpiTransport::awaited(Ticket ticket) {
  const MpiTurn turn;
  const Posted& posted = posted_.at(ticket.number);
  std::vector<int> processes;
  for (std::size_t i = 0; i < posted.requests.size(); ++i) {
    int has_passed = 1;
    if (posted.requests[i] != MPI_REQUEST_NULL)
      MPI_Request_get_status(posted.requests[i], &has_passed, MPI_STATUS_IGNORE);
    const int process = posted.messages[i].process;
    if (has_passed == 0 && std::ranges::find(processes, process) == processes.end())
      processes.push_back(process);
  }
  return processes;
}

void MpiTransport::tell(int process, const std::string& text) {
  const MpiTurn turn;
  forget_texts_that_have_left();
  Told& told = told_.emplace_back(Told{text.substr(0, longest_text), MPI_REQUEST_NULL});
  // One that cannot be told waits until its limit.
  MPI_Isend(told.text.data(), static_cast<int>(told.text.size()), MPI_CHAR, process, text_tag, communicator_,
            &told.request);
}

std::optional<Transport::Heard> MpiTransport::hear() {
  const MpiTurn turn;
  MPI_Status status;
  int is_there = 0, length = 0;
  // A probe may look first and then let messages arrive, so only the second one sees what is here already.
  for (int probes = 0; probes < 2 && is_there == 0; ++probes)
    if (MPI_Iprobe(MPI_ANY_SOURCE, text_tag, communicator_, &is_there, &status) != MPI_SUCCESS)
      return std::nullopt;
  if (is_there == 0) return std::nullopt;
  MPI_Get_count(&status, MPI_CHAR, &length);
  Heard heard{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), ' ')};
  if (MPI_Recv(heard.text.data(), length, MPI_CHAR, heard.process, text_tag, communicator_,
               MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return std::nullopt;
  return heard;
}

/// Nothing may arrive in memory that others use later, and MPI reads what it sends until that has left. What
/// has not ended within half a second stays: this process must call MPI no more.
void MpiTransport::abandon() {
  leave_mpi_unfinalised();
  if (!may_call_mpi()) return;
  std::vector<MPI_Request> left;
  const MpiTurn turn;
  for (Posted& posted : posted_) {
    for (std::size_t i = 0; i < posted.requests.size(); ++i) {
      if (posted.requests[i] == MPI_REQUEST_NULL) continue;
      if (posted.messages[i].way == Way::from) MPI_Cancel(&posted.requests[i]);
      left.push_back(posted.requests[i]);
    }
    posted = {};
  }
  const auto patient_until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (std::chrono::steady_clock::now() < patient_until) {
    int have_ended = 1;
    const int status =
        MPI_Testall(static_cast<int>(left.size()), left.data(), &have_ended, MPI_STATUSES_IGNORE);
    if (status != MPI_SUCCESS || have_ended != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace tutti
