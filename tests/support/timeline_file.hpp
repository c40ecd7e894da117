// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tutti {

/// An event of a timeline's file.
struct TimelineEvent {
  std::string name, category;
  int worker;
  std::int64_t begin, end;  // nanoseconds
  nlohmann::json args;
  std::vector<std::string> around;  // the events of its track that it lies in, outermost first

  std::string line() const { return args.value("line", ""); }
};
struct TimelineFile {
  std::vector<TimelineEvent> events;  // in the order of the file
  std::int64_t left_out = 0;

  std::vector<TimelineEvent> of_category(const std::string& category) const;
  std::vector<TimelineEvent> named(const std::string& name, int worker) const;
};

/// Fails the test unless the file is what viewers take: JSON, one named track per worker, and one of the
/// `carrier`, all events in the order in which they began, those of a track disjoint or nested.
enum class HasCarrier { no, yes };
TimelineFile read_timeline(const std::string& path, int workers, HasCarrier carrier = HasCarrier::no);

/// A name for a file in the folder for temporary ones, which is removed with its owner.
class TemporaryName {
 public:
  explicit TemporaryName(const std::string& name);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tutti
