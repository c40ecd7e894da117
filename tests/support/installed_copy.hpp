// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tutti {

/// A copy of a program under test in a folder of its own, as `make install` puts it: outside of every build
/// folder. Both are removed at the end.
class InstalledCopy {
 public:
  explicit InstalledCopy(const std::string& program);
  ~InstalledCopy() { std::filesystem::remove_all(root_); }
  InstalledCopy(const InstalledCopy&) = delete;
  InstalledCopy& operator=(const InstalledCopy&) = delete;

  std::string path() const { return program_.string(); }
  const std::filesystem::path& root() const { return root_; }
  /// Makes the copy one of a build in root()/build/release of the checkout root().
  void become_built() const;
  /// Installs the fake plugin as one for CPUs in the Python environment root()/`environment`. Returns its
  /// file.
  std::string plant_plugin(const std::string& environment) const;

 private:
  std::filesystem::path root_, program_;
};

}  // namespace tutti
