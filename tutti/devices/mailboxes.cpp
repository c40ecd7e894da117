// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/mailboxes.hpp"

#include <cstring>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti {

class Mailboxes::OfProcess final : public Transport {
 public:
  OfProcess(Mailboxes& boxes, int self, int count, double limit_seconds)
      : Transport(self, count, limit_seconds), boxes_(boxes) {}
  ~OfProcess() override { close(); }

  Ticket post(std::span<const Part> sends, std::span<const Part> receives) override {
    const std::lock_guard lock(boxes_.lock_);
    for (const Part& part : sends)
      boxes_.on_the_way_[{self(), part.process}].emplace_back(part.at, part.at + part.bytes);
    waiting_[++last_] = {receives.begin(), receives.end()};
    return last_;
  }

  bool is_done(Ticket ticket) override {
    const std::lock_guard lock(boxes_.lock_);
    std::vector<Part>& waiting = waiting_.at(ticket);
    std::erase_if(waiting, [&](const Part& part) { return arrives(part, ticket); });
    if (!waiting.empty()) return false;
    waiting_.erase(ticket);
    return true;
  }

  std::vector<int> awaited(Ticket ticket) override {
    std::vector<int> processes;
    if (const auto found = waiting_.find(ticket); found != waiting_.end())
      for (const Part& part : found->second) processes.push_back(part.process);
    return processes;
  }

 protected:
  void tell(int process, const std::string& text) override {
    const std::lock_guard lock(boxes_.lock_);
    boxes_.told_[process].emplace_back(self(), text);
  }

  std::optional<Heard> hear() override {
    const std::lock_guard lock(boxes_.lock_);
    std::deque<std::pair<int, std::string>>& told = boxes_.told_[self()];
    if (told.empty()) return std::nullopt;
    Heard heard{told.front().first, std::move(told.front().second)};
    told.pop_front();
    return heard;
  }

 private:
  /// Takes the next message of a process, unless an earlier ticket waits for it.
  bool arrives(const Part& part, Ticket ticket) {
    for (const auto& [earlier, parts] : waiting_) {
      if (earlier == ticket) break;
      for (const Part& other : parts)
        if (other.process == part.process) return false;
    }
    std::deque<Message>& messages = boxes_.on_the_way_[{part.process, self()}];
    if (messages.empty()) return false;
    ensure(messages.front().size() == part.bytes, "process {} sent {} bytes where process {} expects {}",
           part.process, messages.front().size(), self(), part.bytes);
    if (part.bytes > 0) std::memcpy(part.at, messages.front().data(), part.bytes);
    messages.pop_front();
    return true;
  }

  Mailboxes& boxes_;
  Ticket last_ = 0;
  std::map<Ticket, std::vector<Part>> waiting_;
};

std::unique_ptr<Transport> Mailboxes::transport(int self, int count, double limit_seconds) {
  return std::make_unique<OfProcess>(*this, self, count, limit_seconds);
}

}  // namespace tutti
