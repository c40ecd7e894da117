// SPDX-License-Identifier: Apache-2.0
// Ids of buffers, tasks and steps: indices into the lists of Graph and Steps (base/indexed.hpp).
#pragma once

namespace tutti {

enum class BufferId : int {};
enum class TaskId : int {};
enum class StepId : int {};

}  // namespace tutti
