// SPDX-License-Identifier: Apache-2.0
// Errors of processes that do not do the same. Processes are threads, with messages in memory.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "tests/support/refusal.hpp"
#include "tutti/devices/agreement.hpp"
#include "tutti/devices/mailboxes.hpp"

namespace tutti {
namespace {

using Texts = std::vector<std::string>;

/// Runs `job` as each of several processes. Returns the text of its refusal, or else its result.
Texts on_processes(std::size_t count, const std::function<std::string(Transport&)>& job) {
  Mailboxes mail;
  Texts said(count);
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self < count; ++self)
    threads.emplace_back([&, self] {
      const auto transport = mail.transport(static_cast<int>(self), static_cast<int>(count));
      std::string returned;
      const std::string refused = refusal([&] { returned = job(*transport); });
      said[self] = refused == "accepted" ? returned : refused;
    });
  for (std::thread& thread : threads) thread.join();
  return said;
}

/// Compares these texts, one of each process. Returns what all processes say.
std::string said_of(const Texts& texts) {
  const Texts said = on_processes(texts.size(), [&](Transport& transport) {
    require_agreement(transport, texts[static_cast<std::size_t>(transport.self())],
                      "compiles another program than");
    return "agreed";
  });
  for (const std::string& one : said) EXPECT_EQ(one, said[0]);
  return said[0];
}

TEST(agreement, is_found_between_any_number_of_processes) {
  for (std::size_t count : {1U, 2U, 3U, 8U}) {
    EXPECT_EQ(said_of(Texts(count, "a\nb\n")), "agreed") << count;
    EXPECT_EQ(said_of(Texts(count, "")), "agreed") << count;
  }
}

TEST(agreement, names_the_process_and_the_line_on_all_processes) {
  EXPECT_EQ(said_of({"a\nb\nc\n", "a\nb\nc\n", "a\nb\nx\n", "a\nb\nc\n"}),
            "R007 process 2 compiles another program than process 0: line 3 is `x`, there `c`");
  EXPECT_EQ(said_of({"a\n", "b\n"}),
            "R007 process 1 compiles another program than process 0: line 1 is `b`, there `a`");
}

TEST(agreement, names_the_first_of_several_processes) {
  EXPECT_EQ(said_of({"a\n", "a\n", "c\n", "b\n"}),
            "R007 process 2 compiles another program than process 0: line 1 is `c`, there `a`");
  EXPECT_EQ(said_of({"a\n", "b\n", "b\n"}),
            "R007 process 1 compiles another program than process 0: line 1 is `b`, there `a`");
}

TEST(agreement, is_of_all_lines) {
  EXPECT_EQ(
      said_of({"a\nb\n", "a\n"}),
      "R007 process 1 compiles another program than process 0: it ends after line 1, there follows `b`");
  EXPECT_EQ(said_of({"a\n", "a\nb\n"}),
            "R007 process 1 compiles another program than process 0: line 2 is `b`, there is none");
  EXPECT_EQ(said_of({"a", "a\n"}),
            "R007 process 1 compiles another program than process 0: one ends in another way");
}

TEST(agreement, is_found_again_and_again) {
  const Texts said = on_processes(3, [](Transport& transport) {
    for (int time = 0; time < 100; ++time) {
      transport.begin();
      require_agreement(transport, std::to_string(time), "counts otherwise than");
    }
    return "agreed";
  });
  EXPECT_EQ(said, Texts(3, "agreed"));
}

TEST(agreement, tells_the_text_of_one_process_to_all) {
  const std::string large(1 << 20, 'x');
  for (int process : {0, 1, 2})
    for (const std::string& text : {std::string("a\nb"), std::string(), large}) {
      const Texts told = on_processes(3, [&](Transport& transport) {
        return told_by(transport, process, transport.self() == process ? text : "of another process");
      });
      for (const std::string& one : told) EXPECT_TRUE(one == text) << process << ", " << text.size();
    }
}

}  // namespace
}  // namespace tutti
