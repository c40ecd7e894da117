// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tutti::kernels {

/// A shared library that is opened while the program runs. It stays loaded: drivers have threads of their own.
class Library {
 public:
  /// Throws R004 with the loader's message. `purpose` says what needs it: "kernels on GPUs".
  Library(std::string path, std::string_view purpose);

  /// Throws R004 with the loader's message if there is no such symbol.
  void* symbol(const char* name) const;
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  std::string path_;
  std::unique_ptr<void, Close> handle_;
};

}  // namespace tutti::kernels
