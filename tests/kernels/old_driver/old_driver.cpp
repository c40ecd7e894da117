// SPDX-License-Identifier: Apache-2.0
// A driver that lacks all but one function.
extern "C" int cuGetErrorName(int, const char** name) {
  *name = nullptr;
  return 0;
}
