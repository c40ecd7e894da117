// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/library.hpp"
#include "tutti/base/inside.hpp"

#include <dlfcn.h>

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

std::string loader_message() {
  const char* message =
      dlerror();  // NOLINT(concurrency-mt-unsafe): of this thread, in every libc that we know
  return message ? message : "the loader gives no reason";
}

}  // namespace

Library::Library(std::string path, std::string_view purpose)
    : path_(std::move(path)), handle_(dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
  if (!handle_)
    fail(Code::device, "{} cannot be opened, which {} need: {}; install it, or name its path in the options",
         path_, purpose, loader_message());
}

void* Library::symbol(const char* name) const {
  void* address = dlsym(handle_.get(), name);
  if (!address)
    fail(Code::device, "{} has no symbol {}: {}; install a newer version of the library", path_, name,
         loader_message());
  return address;
}

void Library::Close::operator()(void* handle) const { dlclose(handle); }

}  // namespace tutti::kernels
