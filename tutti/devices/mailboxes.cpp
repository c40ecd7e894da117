// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/mailboxes.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti {

class Mailboxes::OfProcess final : public Transport {
 public:
  OfProcess(Mailboxes& boxes, int self, int count, double limit_seconds)
      : Transport(self, count, limit_seconds), boxes_(boxes) {}
  ~OfProcess() override { say_farewell(); }

 protected:
  bool serves_two_threads() const override { return true; }

  bool is_done(Ticket ticket) override {
    const std::lock_guard lock(boxes_.lock_);
    Waiting& waiting = waiting_.at(ticket.number);
    // The parts of a process arrive in their order.
    std::set<int> late;
    std::erase_if(waiting.parts, [&](const Part& part) {
      if (late.contains(part.process)) return false;
      if (arrives(part, ticket.number, waiting.tag)) return true;
      late.insert(part.process);
      return false;
    });
    if (!waiting.parts.empty()) return false;
    waiting_.erase(ticket.number);
    return true;
  }

  std::vector<int> awaited(Ticket ticket) override {
    std::vector<int> processes;
    if (const auto found = waiting_.find(ticket.number); found != waiting_.end())
      for (const Part& part : found->second.parts) processes.push_back(part.process);
    return processes;
  }

  std::size_t start(std::span<const Part> sends, std::span<const Part> receives, int tag) override {
    const std::lock_guard lock(boxes_.lock_);
    for (const Part& part : sends) {
      const auto looks = static_cast<int>(boxes_.random_() % static_cast<unsigned>(boxes_.most_looks_ + 1));
      boxes_.on_the_way_[{self(), part.process}].push_back({tag, {part.at, part.at + part.bytes}, looks});
    }
    waiting_[++last_] = {tag, {receives.begin(), receives.end()}};
    return last_;
  }

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
  struct Waiting {
    int tag;
    std::vector<Part> parts;
  };

  /// Takes the next message of a process with this tag, unless an earlier ticket waits for it.
  bool arrives(const Part& part, std::size_t ticket, int tag) {
    for (const auto& [earlier, waiting] : waiting_) {
      if (earlier == ticket) break;
      for (const Part& other : waiting.parts)
        if (waiting.tag == tag && other.process == part.process) return false;
    }
    std::deque<Message>& messages = boxes_.on_the_way_[{part.process, self()}];
    const auto next = std::ranges::find(messages, tag, &Message::tag);
    if (next == messages.end() || next->looks-- > 0) return false;
    const std::vector<std::byte>& bytes = next->bytes;
    if (bytes.size() != part.bytes)
      fail(Code::peer, "process {} sent {} bytes where process {} expects {}", part.process, bytes.size(),
           self(), part.bytes);
    if (part.bytes > 0) std::memcpy(part.at, bytes.data(), part.bytes);
    messages.erase(next);
    return true;
  }

  Mailboxes& boxes_;
  std::size_t last_ = 0;
  std::map<std::size_t, Waiting> waiting_;
};

std::unique_ptr<Transport> Mailboxes::transport(int self, int count, double limit_seconds) {
  return std::make_unique<OfProcess>(*this, self, count, limit_seconds);
}

}  // namespace tutti
