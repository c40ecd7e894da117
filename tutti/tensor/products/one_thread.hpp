// SPDX-License-Identifier: Apache-2.0
#pragma once

// Declared here because clang on Debian has no omp.h; libgomp has the functions.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);

namespace tutti {

/// Throws R003 if there is no memory for OpenMP's settings of the calling thread. Call it before
/// omp_set_num_threads:
/// a thread's first call allocates the settings, and without memory OpenMP ends the process.
void require_room_for_openmp();

/// Guard under which OpenMP uses one thread for the calling thread. Other threads are not affected. The
/// destructor restores the calling thread's setting.
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
