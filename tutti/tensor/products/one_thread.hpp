// SPDX-License-Identifier: Apache-2.0
#pragma once

// Declared here because clang has no omp.h on Debian; libgomp has them.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);

namespace tutti {

/// Before omp_set_num_threads: OpenMP takes memory the first time that a thread calls it, and ends the process where
/// there is none. Throws R003 instead.
void require_room_for_openmp();

/// While it lives, OpenMP uses one thread for what the calling thread asks of it. The setting belongs to the calling
/// thread, which gets its own back.
/// Throws R003 without memory for OpenMP's settings of the thread.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ == 1) return;
    require_room_for_openmp();
    omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace tutti
