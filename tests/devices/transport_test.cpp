// SPDX-License-Identifier: Apache-2.0
// Processes tell each other when they leave. These tests check which messages are still taken then.
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/devices/agreement.hpp"
#include "tutti/devices/mailboxes.hpp"

namespace tutti {
namespace {

/// Two processes on one thread: process 0 waits for process 1 only where the bytes have been sent before.
class transports : public testing::Test {
 protected:
  Transport::Part part_of(int process) { return {process, bytes_.data(), bytes_.size()}; }
  void send(Transport& from, int to) {
    const Transport::Part part = part_of(to);
    from.finish(from.post({&part, 1}, {}, "sin"));
  }
  std::string received(Transport& at, int from) {
    const Transport::Part part = part_of(from);
    return refusal([&] { at.finish(at.post({}, {&part, 1}, "sin")); });
  }

  std::vector<std::byte> bytes_ = std::vector<std::byte>(8);
  Mailboxes mail_;
  std::unique_ptr<Transport> first_ = mail_.transport(0, 2, 60), second_ = mail_.transport(1, 2, 60);
};

// Its memory may hold other values when the bytes are read.
TEST_F(transports, take_nothing_of_a_process_that_has_failed) {
  first_->begin();
  second_->begin();
  send(*second_, 0);
  second_->leave("it has no memory");
  EXPECT_EQ(received(*first_, 1), "R007 process 1 has left: it has no memory");
}

// The bytes of an earlier call had left before the process failed.
TEST_F(transports, take_what_a_process_sent_in_a_call_before_it_failed) {
  first_->begin();
  second_->begin();
  send(*second_, 0);
  second_->begin();
  second_->commit();
  second_->leave("it has no memory");
  EXPECT_EQ(received(*first_, 1), "accepted");
  first_->begin();
  EXPECT_EQ(received(*first_, 1), "R007 process 1 has left: it has no memory");
}

TEST_F(transports, take_what_a_process_sent_before_it_closed) {
  first_->begin();
  second_->begin();
  send(*second_, 0);
  second_.reset();
  EXPECT_EQ(received(*first_, 1), "accepted");
  first_->begin();
  EXPECT_EQ(received(*first_, 1), "R007 process 1 has left: it has closed the machine");
}

// Process 0 is three calls behind when it hears that process 1 has left its fourth one, and then closed.
TEST_F(transports, remember_all_that_a_process_says_when_it_leaves) {
  for (int call = 0; call < 4; ++call) second_->begin();
  second_->leave("it has no memory");
  second_.reset();
  for (int call = 0; call < 5; ++call) first_->begin();
  EXPECT_EQ(received(*first_, 1), "R007 process 1 has left: it has closed the machine");
}

// It goes on with the next call, where process 0 is already.
TEST_F(transports, wait_for_a_process_that_has_left_an_earlier_call) {
  for (int call = 0; call < 2; ++call) first_->begin();
  second_->begin();
  second_->leave("it has no memory");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    second_->begin();
    send(*second_, 0);
  });
  EXPECT_EQ(received(*first_, 1), "accepted");
  other.join();
}

TEST_F(transports, keep_the_messages_of_call_and_carrier_apart) {
  using Lane = Transport::Lane;
  first_->begin();
  second_->begin();
  std::vector<std::byte> of_call(8, std::byte{1}), of_carrier(8, std::byte{2});
  for (const Lane lane : {Lane::call, Lane::carrier}) {
    std::vector<std::byte>& bytes = lane == Lane::call ? of_call : of_carrier;
    const Transport::Part part{0, bytes.data(), bytes.size()};
    second_->finish(second_->post({&part, 1}, {}, "sin", lane));
  }
  for (const Lane lane : {Lane::carrier, Lane::call}) {  // the other order
    const Transport::Part part = part_of(1);
    first_->finish(first_->post({}, {&part, 1}, "sin", lane));
    EXPECT_EQ(bytes_, lane == Lane::call ? of_call : of_carrier);
  }
}

// Process 1 waits with two threads: one at the place where process 0 is, but in the next call.
TEST_F(transports, say_where_both_threads_wait) {
  Mailboxes mail;
  const std::unique_ptr<Transport> first = mail.transport(0, 2, 0.1), second = mail.transport(1, 2, 60);
  first->begin();
  second->begin();
  std::vector<std::byte> bytes(8);
  const auto wait = [&](Transport::Lane lane, const char* place) {
    const Transport::Part part{0, bytes.data(), bytes.size()};
    return refusal([&] { second->finish(second->post({}, {&part, 1}, place, lane)); });
  };
  second->begin();
  std::thread call([&] { wait(Transport::Lane::call, "sin"); });
  std::thread carrier([&] { wait(Transport::Lane::carrier, "tan"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const std::string found = received(*first, 1);
  call.join();
  carrier.join();
  EXPECT_NE(found.find(
                "process 1 has not come here for 0.1 s and waits elsewhere: at sin and at tan, 1 call later"),
            std::string::npos)
      << found;
}

// Both wait at the same place for bytes that were lost: each says so, after ten times the limit.
TEST_F(transports, say_that_messages_are_lost) {
  Mailboxes mail;
  const std::unique_ptr<Transport> first = mail.transport(0, 2, 0.1), second = mail.transport(1, 2, 0.1);
  first->begin();
  second->begin();
  std::string found;
  std::latch both(2);
  std::thread other([&] {
    both.arrive_and_wait();
    found = received(*second, 0);
  });
  both.arrive_and_wait();
  const std::string own = received(*first, 1);
  other.join();
  const auto is_lost = [](const std::string& text) {
    return text.find(" is here, too, but what it sends has not come for 1 s") != std::string::npos;
  };
  EXPECT_TRUE(is_lost(own) || is_lost(found)) << own << "\n" << found;
}

/// A process that hears nothing from the other one.
class Deaf final : public Transport {
 public:
  Deaf() : Transport(0, 2, 0.3) {}
  std::vector<std::string> noticed;

 protected:
  bool serves_two_threads() const override { return false; }
  bool is_done(Ticket) override { return false; }
  std::vector<int> awaited(Ticket) override { return {1}; }
  std::size_t start(std::span<const Part>, std::span<const Part>, int) override { return 0; }
  void tell(int, const std::string&) override {}
  std::optional<Heard> hear() override { return std::nullopt; }
  void notice_wait(Lane lane, const std::string& for_whom) override {
    noticed.push_back((lane == Lane::call ? "call: " : "carrier: ") + for_whom);
  }
};

TEST_F(transports, notice_a_long_wait_and_its_end_by_an_error) {
  Deaf deaf;
  deaf.begin();
  const Transport::Part part = part_of(1);
  const std::string found =
      refusal([&] { deaf.finish(deaf.post({}, {&part, 1}, "sin", Transport::Lane::carrier)); });
  EXPECT_TRUE(found.starts_with("R007 process 1 has not come here for 0.3 s")) << found;
  EXPECT_EQ(deaf.noticed, (std::vector<std::string>{"carrier: process 1 in sin", "carrier: "}));
}

TEST_F(transports, know_whether_all_have_closed) {
  EXPECT_TRUE(first_->close() == Transport::Parting::alone);  // the other one goes on
  EXPECT_TRUE(second_->close() == Transport::Parting::together);
  EXPECT_TRUE(first_->close() == Transport::Parting::together);
}

TEST_F(transports, know_that_a_process_has_closed_after_an_error) {
  try {
    const std::unique_ptr<Transport> closes = std::move(second_);
    throw Error(Code::memory, {}, "there is none");
  } catch (const Error&) {
  }
  EXPECT_TRUE(first_->close() == Transport::Parting::after_a_failure);
}

TEST_F(transports, know_that_a_process_has_failed_before_it_closes) {
  second_->begin();
  second_->commit();
  second_->leave("it has no memory");
  second_.reset();
  EXPECT_TRUE(first_->close() == Transport::Parting::after_a_failure);
}

TEST_F(transports, end_together_what_fails_on_one) {
  std::string found;
  const auto run = [](Transport& transport, bool fails) {
    return refusal([&] {
      transport.begin();
      require_same_outcome(transport, [&] {
        if (fails) throw Error(Code::memory, {}, "there is none");
      });
    });
  };
  std::thread other([&] {
    found = run(*second_, true);
    found += "; then " + run(*second_, false);
  });
  EXPECT_EQ(run(*first_, false), "R007 process 1 has failed here: there is none");
  EXPECT_EQ(run(*first_, false), "accepted");
  other.join();
  EXPECT_EQ(found, "R003 there is none; then accepted");
}

}  // namespace
}  // namespace tutti
