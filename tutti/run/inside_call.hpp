// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// A call that a thread is in. The function that takes the lines of debug_print runs inside of one: it may
/// call other programs, but a call of the same program would wait for itself.
class InsideCall {
 public:
  /// Throws R004 if this thread is in a call of the program.
  explicit InsideCall(const void* program);
  ~InsideCall();
  InsideCall(const InsideCall&) = delete;
  InsideCall& operator=(const InsideCall&) = delete;

  /// Throws R004 if this thread is in a call of the program.
  static void require_outside(const void* program);
  /// True if the call that this thread is in was made by a function that another call calls.
  static bool is_nested();

 private:
  const void* program_;
  const InsideCall* outer_;
};

}  // namespace tutti
