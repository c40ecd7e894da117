// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tutti {

/// A process that answers lines with lines. It ends with its owner.
class Child {
 public:
  /// `environment`: NAME=value, besides that of this process.
  explicit Child(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  struct Reply {
    std::string line;
    std::string failure;  // empty, or why there is no line
  };
  /// Sends `line` and a line end; nothing if it is empty. Then waits for a line.
  Reply ask(const std::string& line, int limit_ms);

 private:
  Reply no_answer(const std::string& why);
  std::string last_words() const;

  pid_t pid_ = -1;
  int socket_ = -1, stderr_ = -1;
  std::string unread_;
};

}  // namespace tutti
