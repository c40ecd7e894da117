// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/driver.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <array>

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

struct Advice {
  DriverResult result;
  std::string_view text;
};
constexpr std::string_view general_advice = "see CUDA's documentation of that error";
constexpr std::array advices{
    Advice{driver_result::out_of_memory, "free memory of the device, or use smaller blocks"},
    Advice{driver_result::stub_library, "this is CUDA's stub to link against; name the driver's own library"},
    Advice{driver_result::no_device, "this machine has no GPU that the driver can use"},
    Advice{driver_result::invalid_device, "count devices from 0"},
    Advice{driver_result::invalid_image, "the kernel's text is neither PTX nor a cubin; write it again"},
    Advice{driver_result::no_binary_for_gpu, "compile the kernel for this GPU's architecture"},
    Advice{driver_result::invalid_ptx, "the driver's compiler refuses the kernel's PTX; write it again"},
    Advice{driver_result::unsupported_ptx_version,
           "the PTX is newer than the driver; update the driver, or compile for an older .version"},
    Advice{driver_result::not_found, "the module has no such kernel; compile it from the same manifest"},
    Advice{driver_result::illegal_address,
           "a kernel met an address that is not the device's; check inputs and outputs, then begin anew in "
           "another process"},
    Advice{driver_result::launch_out_of_resources, "use fewer warps"},
    Advice{driver_result::launch_failed,
           "a kernel failed on the device; begin anew in another process, under compute-sanitizer"},
    Advice{driver_result::cooperative_launch_too_large,
           "not all blocks of the grid fit the device at once; use a smaller grid, or the variant "
           "two_launches"},
    Advice{driver_result::system_not_ready, "start the machine's fabric manager"},
    Advice{driver_result::system_driver_mismatch, "restart the machine: driver and library differ"},
};

std::string_view advice_for(DriverResult result) {
  for (const Advice& advice : advices)
    if (advice.result == result) return advice.text;
  return general_advice;
}

/// CUDA's text for an error, or the error's number if the driver does not know it.
std::string text_of(const Driver::Call<DriverResult, const char**>& text, DriverResult result) {
  const char* found = nullptr;
  if (text.result(result, &found) != driver_result::success || !found) return fmt::format("error {}", result);
  return found;
}

}  // namespace

Driver::Driver(const std::string& path) : library_(path, "kernels on GPUs") {
  init(0);
  driver_version(&version_);
}

std::shared_ptr<const Driver> Driver::open(const std::string& path) {
  struct Opened : Driver {
    explicit Opened(const std::string& path) : Driver(path) {}
  };
  return std::make_shared<const Opened>(path);
}

void Driver::check(DriverResult result, std::string_view function, std::string_view note) const {
  if (result == driver_result::success) return;
  const Code code = result == driver_result::out_of_memory ? Code::memory : Code::device;
  fail(code, "{}{}{}: {} ({}); {}", function, note.empty() ? "" : ": ", note, text_of(error_name, result),
       text_of(error_string, result), advice_for(result));
}

}  // namespace tutti::kernels
