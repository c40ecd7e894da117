// SPDX-License-Identifier: Apache-2.0
#define ASIO_STANDALONE
#include "tutti/xla/store/store_server.hpp"
#include "tutti/base/inside.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <asio.hpp>
#include <atomic>
#include <list>
#include <map>
#include <thread>

#include "tutti/base/require.hpp"
#include "tutti/xla/store/admission.hpp"
#include "tutti/xla/store/protocol.hpp"

namespace tutti::xla {
namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

// The pause after an accept that failed, for example for lack of file descriptors.
constexpr std::chrono::milliseconds pause_after_error{100};
// A request is read, and counted, in pieces: who announces much and sends little takes no space from others.
constexpr std::size_t piece_bytes = std::size_t{64} << 10;

// NOLINTBEGIN(bugprone-unused-return-value): the last argument has the error too, and some builds of Asio return void
void close(tcp::socket& socket) {
  asio::error_code ignored;
  socket.close(ignored);
}
void cancel(tcp::socket& socket) {
  asio::error_code ignored;
  socket.cancel(ignored);
}
void set_options(tcp::socket& socket) {
  asio::error_code ignored;  // connections work without these options
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);  // child programs do not inherit it
}
/// Opens the acceptor at this endpoint. Returns the error.
asio::error_code listen(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  asio::error_code error, ignored;
  acceptor.close(ignored);
  acceptor.open(endpoint.protocol(), error);
  if (error) return error;
  fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  acceptor.set_option(asio::socket_base::reuse_address(true), ignored);  // a new job may follow at once
  if (endpoint.protocol() == tcp::v6()) acceptor.set_option(asio::ip::v6_only(true), ignored);
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}
// NOLINTEND(bugprone-unused-return-value)

/// Opens the acceptor at the first endpoint of the address that works. Returns the last error if none does.
asio::error_code listen(tcp::acceptor& acceptor, const Address& address) {
  asio::error_code error;
  tcp::resolver resolver(acceptor.get_executor());
  const auto found = resolver.resolve(address.host, std::to_string(address.port), error);
  if (error) return error;
  for (const auto& entry : found) {
    require(!entry.endpoint().address().is_unspecified(), Code::device,
            "xla: the coordinator {} names all addresses of its host; name the one that the other processes "
            "reach",
            address);
    error = listen(acceptor, entry.endpoint());
    if (!error) return error;
  }
  return error ? error : asio::error::host_not_found;
}

class Session;

/// State that the connections of one server share. Only the server's thread uses it, except `connections`.
struct Shared {
  LocalStore& store;
  Admission admission;
  StoreLimits limits;
  std::size_t most_connections;
  std::atomic<std::size_t> connections = 0;
  std::map<std::uint32_t, std::list<Session*>> idle = {};  // by process; the longest idle one is first
};

/// One connection, from its greeting on. It lives until its last pending operation, which owns it, ends.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Shared& shared)
      : socket_(std::move(socket)), timer_(socket_.get_executor()), shared_(shared) {
    ++shared_.connections;
  }
  ~Session() {
    shared_.store.forget(watch_);
    release();
    leave_idle();
    --shared_.connections;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start();

 private:
  void admit(const protocol::GreetingHead& greeting);
  void await_request();
  void become_idle();
  void leave_idle();
  void receive(const protocol::RequestHead& request, std::size_t left);
  void serve(const protocol::RequestHead& request);
  void put(const protocol::RequestHead& request);
  void await_value(std::chrono::milliseconds timeout);
  void end_wait(std::uint64_t wait, const std::function<void()>& answer);
  void answer(const Failure& failure) { answer(protocol::write_answer({.value = {}, .failure = failure})); }
  void answer(const LocalStore::Value& value) { answer(protocol::write_done(value->size()), value); }
  void answer(std::string bytes, LocalStore::Value value = nullptr);
  /// Ends the reservation for the request.
  void release() { shared_.store.release(std::exchange(reserved_, 0)); }

  /// Reads `count` bytes into in_.
  template <class Then>
  void read(std::size_t count, const Then& then);
  /// Sends out_, then value_.
  template <class Then>
  void write(const Then& then);
  /// Calls `late` after the time, unless another limit is set before.
  template <class Late>
  void limit(std::chrono::milliseconds time, const Late& late);
  void limit(std::chrono::milliseconds time) {
    limit(time, [this] { close(); });
  }
  void close();

  tcp::socket socket_;
  asio::steady_timer timer_;
  Shared& shared_;
  std::string in_, out_;
  LocalStore::Value value_;                            // shared with the store: an answer takes no memory
  std::size_t reserved_ = 0;                           // bytes of the request to put in in_
  bool has_no_space_ = false;                          // the rest of the request is read and thrown away
  std::string key_;                                    // while a get waits
  std::uint32_t process_ = 0;                          // of the greeting
  std::optional<std::list<Session*>::iterator> idle_;  // in shared_.idle
  std::uint64_t watch_ = 0;                            // number of LocalStore::watch while a get waits
  std::uint64_t waits_ = 0;  // changes when a wait begins or ends; late handlers compare it
};

template <class Then>
void Session::read(std::size_t count, const Then& then) {
  in_.clear();
  asio::async_read(socket_, asio::dynamic_buffer(in_, count), asio::transfer_exactly(count),
                   [self = shared_from_this(), then](const asio::error_code& error, std::size_t) {
                     if (error) self->close();
                     else then();
                   });
}

template <class Then>
void Session::write(const Then& then) {
  limit(shared_.limits.transfer);
  const std::string_view value = value_ ? std::string_view(*value_) : std::string_view();
  const std::array<asio::const_buffer, 2> parts{asio::buffer(out_), asio::buffer(value.data(), value.size())};
  asio::async_write(socket_, parts,
                    [self = shared_from_this(), then](const asio::error_code& error, std::size_t) {
                      if (error) self->close();
                      else then();
                    });
}

template <class Late>
void Session::limit(std::chrono::milliseconds time, const Late& late) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this(), late](const asio::error_code& error) {
    // The handler may already be queued when another limit is set.
    if (!error && self->timer_.expiry() <= Clock::now()) late();
  });
}

void Session::close() {
  xla::close(socket_);
  timer_.cancel();
  leave_idle();
  ++waits_;
}

void Session::start() {
  set_options(socket_);
  limit(shared_.limits.greeting);
  read(protocol::greeting_bytes, [this] {
    const auto greeting = protocol::read_greeting(in_);
    if (!greeting) return close();  // not a client of ours
    const bool has_rest = greeting->version == protocol::version;
    read(has_rest ? greeting->name_bytes + greeting->secret_bytes : 0,
         [this, greeting] { admit(*greeting); });
  });
}

void Session::admit(const protocol::GreetingHead& greeting) {
  std::optional<Failure> refusal;
  if (shared_.connections > shared_.most_connections)
    refusal =
        Failure{error_code::resource_exhausted, "process 0 has as many connections as it allows; try again"};
  else {
    const std::size_t name_bytes =
        std::min(greeting.name_bytes, in_.size());  // another version: none was read
    const std::string_view rest = in_;
    refusal = shared_.admission.refusal(greeting, rest.substr(0, name_bytes), rest.substr(name_bytes));
  }
  process_ = greeting.process;
  out_ = protocol::write_opening() + protocol::write_answer({.value = {}, .failure = refusal});
  write([this, is_refused = refusal.has_value()] {
    if (is_refused) close();
    else await_request();
  });
}

void Session::await_request() {
  become_idle();
  read(protocol::request_bytes, [this] {
    leave_idle();
    const auto request = protocol::read_request(in_);
    if (!request) return close();
    limit(shared_.limits.transfer);
    in_.clear();
    has_no_space_ = false;
    receive(*request, request->key_bytes + request->value_bytes);
  });
}

// Clients keep connections between calls. They notice one that was closed, and open another.
void Session::become_idle() {
  limit(shared_.limits.idle);
  std::list<Session*>& idle = shared_.idle[process_];
  idle_ = idle.insert(idle.end(), this);
  if (idle.size() > shared_.limits.idle_per_process) idle.front()->close();
}

void Session::leave_idle() {
  if (!idle_) return;
  shared_.idle[process_].erase(*idle_);
  idle_.reset();
}

void Session::receive(const protocol::RequestHead& request, std::size_t left) {
  if (left == 0) return serve(request);
  const std::size_t piece = std::min(left, piece_bytes);
  if (request.operation == protocol::Operation::put) {
    if (!has_no_space_ && shared_.store.reserve(piece)) reserved_ += piece;
    else has_no_space_ = true;
  }
  if (has_no_space_) {
    release();
    in_ = {};
  }
  asio::async_read(socket_, asio::dynamic_buffer(in_, in_.size() + piece), asio::transfer_exactly(piece),
                   [self = shared_from_this(), request, left, piece](const asio::error_code& error,
                                                                     std::size_t) {
                     if (error) self->close();
                     else self->receive(request, left - piece);
                   });
}

void Session::serve(const protocol::RequestHead& request) {
  if (has_no_space_) {
    in_ = {};
    return answer(shared_.store.no_space(request.key_bytes + request.value_bytes, {}));
  }
  if (request.operation == protocol::Operation::put) return put(request);
  key_ = std::exchange(in_, {});
  if (const LocalStore::Value found = shared_.store.find(key_)) return answer(found);
  if (request.operation == protocol::Operation::get) return await_value(request.timeout);
  answer(not_put_yet(key_));
}

void Session::put(const protocol::RequestHead& request) {
  release();  // the store counts the bytes from here on
  const std::string bytes = std::exchange(in_, {});
  const std::string_view all = bytes;
  answer(protocol::write_answer(
      {.value = {},
       .failure = shared_.store.put(all.substr(0, request.key_bytes), all.substr(request.key_bytes))}));
}

void Session::await_value(std::chrono::milliseconds timeout) {
  const std::uint64_t wait = ++waits_;
  limit(timeout, [this, timeout, wait] {
    end_wait(wait, [this, timeout] { answer(not_put_in_time(key_, timeout)); });
  });
  // A client that waits sends nothing. If there is something to read, it is the end of the connection.
  socket_.async_wait(tcp::socket::wait_read,
                     [self = shared_from_this(), wait](const asio::error_code& error) {
                       if (!error && self->waits_ == wait) self->close();
                     });
  // The store may call this function on any thread.
  watch_ = shared_.store.watch(key_, [weak = weak_from_this(), executor = socket_.get_executor(),
                                      wait](const LocalStore::Value& value) {
    asio::post(executor, [weak, wait, value] {
      if (const auto self = weak.lock()) self->end_wait(wait, [&] { self->answer(value); });
    });
  });
}

void Session::end_wait(std::uint64_t wait, const std::function<void()>& answer) {
  if (waits_ != wait) return;  // the wait has already ended
  ++waits_;
  shared_.store.forget(watch_);
  cancel(socket_);
  answer();
}

void Session::answer(std::string bytes, LocalStore::Value value) {
  release();
  key_ = {};
  out_ = std::move(bytes);
  value_ = std::move(value);
  write([this] {
    out_ = {};
    value_ = nullptr;
    await_request();
  });
}

}  // namespace

struct StoreServer::Service {
  Service(LocalStore& store, const Job& job, const StoreLimits& limits)
      : shared{.store = store,
               .admission = Admission(job),
               .limits = limits,
               .most_connections =
                   limits.connections + limits.per_process * static_cast<std::size_t>(job.processes)} {}
  ~Service() {
    io.stop();
    if (thread.joinable()) thread.join();
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  void accept() {
    acceptor.async_accept([this](const asio::error_code& error, tcp::socket socket) {
      if (error) {
        pause.expires_after(pause_after_error);
        return pause.async_wait([this](const asio::error_code&) { accept(); });
      }
      // Beyond the limit, a session answers with an error. Beyond twice the limit, it is closed at once.
      if (shared.connections < 2 * shared.most_connections)
        std::make_shared<Session>(std::move(socket), shared)->start();
      accept();
    });
  }
  void run() noexcept {
    while (!io.stopped()) try {
        io.run();
      } catch (...) {  // NOLINT(bugprone-empty-catch): out of memory; that connection is closed
      }
  }

  Shared shared;  // outlives the sessions, which pending operations in `io` own
  asio::io_context io;
  tcp::acceptor acceptor{io};
  asio::steady_timer pause{io};
  std::thread thread;
};

StoreServer::StoreServer(const Address& address, const Job& job, const StoreLimits& limits)
    : store_(limits.bytes), address_(address) {
  check(job);
  service_ = std::make_unique<Service>(store_, job, limits);
  const asio::error_code error = listen(service_->acceptor, address);
  require(
      !error, Code::device,
      "xla: process {} cannot listen at the coordinator {}: {}; name an address of the host of process 0, "
      "and a port that nobody uses",
      job.process, address, error.message());
  address_.port = service_->acceptor.local_endpoint().port();
  service_->accept();
  service_->thread = std::thread([service = service_.get()] { service->run(); });
}

StoreServer::~StoreServer() {
  if (is_here_.is_true()) return;
  [[maybe_unused]] const Service* left = service_.release();  // its thread and sockets are another process's
}

StoreAnswer StoreServer::get(std::string_view key, std::chrono::milliseconds timeout) {
  return store_.get(key, timeout);
}
StoreAnswer StoreServer::try_get(std::string_view key) { return store_.try_get(key); }
std::optional<Failure> StoreServer::put(std::string_view key, std::string_view value) {
  return store_.put(key, value);
}

std::size_t StoreServer::connections() const { return service_->shared.connections; }

}  // namespace tutti::xla
