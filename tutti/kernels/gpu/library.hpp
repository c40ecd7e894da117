// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tutti::kernels {

/// A shared library, opened at run time. It is never unloaded, because drivers have threads of their own.
class Library {
 public:
  /// Opens the library. Throws R004 with the loader's message and the `purpose` of the library: "kernels on
  /// GPUs".
  Library(std::string path, std::string_view purpose);

  /// The address of a symbol. Throws R004 with the loader's message if the library lacks it.
  void* symbol(const char* name) const;
  /// The file as it was opened.
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  std::string path_;
  std::unique_ptr<void, Close> handle_;
};

}  // namespace tutti::kernels
