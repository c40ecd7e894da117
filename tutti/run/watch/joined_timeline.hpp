// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/base/inside.hpp"

namespace tutti {

/// The timeline of a process in a file of its own: t.json, t.1.json, t.2.json.
std::string timeline_of_process(const std::string& path, int process);

/// Puts the events of all processes into the file of the first one, and removes the other files. Files that
/// are not there, are no timelines, or are of another job, are left out. Times are those of the clocks of the
/// hosts.
/// False if the file cannot be written: then all files are as they were.
bool join_timelines(const std::string& path, int processes);

}  // namespace tutti
