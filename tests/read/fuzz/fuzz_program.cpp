// SPDX-License-Identifier: Apache-2.0
// A target of libFuzzer: any text is refused with a place, or becomes a program. `make soak PARTS=fuzz` runs
// it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/read/example_texts.hpp"
#include "tests/read/harness.hpp"

/// Writes the first texts into the folder that is the last argument.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const std::filesystem::path folder = (*arguments)[*count - 1];
  if (!std::filesystem::is_directory(folder) || !std::filesystem::is_empty(folder)) return 0;
  int number = 0;
  for (const std::string& text : tutti::example_texts())
    std::ofstream(folder / ("example_" + std::to_string(number++))) << text;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string said = tutti::refusal_of_text(std::string(data, data + size));
  if (!said.starts_with("I001")) return 0;
  std::puts(said.c_str());
  std::abort();
}
