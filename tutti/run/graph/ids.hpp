// SPDX-License-Identifier: Apache-2.0
// Names of what a plan is made of: indices into the lists of Graph and Steps (base/indexed.hpp).
#pragma once

namespace tutti {

enum class BufferId : int {};
enum class TaskId : int {};
enum class StepId : int {};

}  // namespace tutti
