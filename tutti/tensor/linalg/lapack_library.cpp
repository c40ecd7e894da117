// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/linalg/lapack_library.hpp"

#include <dlfcn.h>

#include <string>

#include "tutti/base/require.hpp"
#include "tutti/tensor/products/blas_library.hpp"

namespace tutti {
namespace {

template <class Function>
void find(const BlasLibrary& library, const std::string& name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library.handle, name.c_str()));
  require(function != nullptr, Code::device,
          "{} has no function {}: it was built without LAPACK, which computes linear algebra; install one "
          "that has it (libopenblas0-pthread)",
          library.get_config(), name);
}

template <class T>
void find_all(const BlasLibrary& library, const std::string& prefix, LapackFunctions<T>& found) {
  const bool is_complex = is_complex_element<T>;
  find(library, prefix + "trsm_", found.trsm);
  find(library, prefix + "potrf_", found.potrf);
  find(library, prefix + "getrf_", found.getrf);
  find(library, prefix + "geqrf_", found.geqrf);
  find(library, prefix + (is_complex ? "ungqr_" : "orgqr_"), found.orgqr);
  find(library, prefix + (is_complex ? "heevd_" : "syevd_"), found.syevd);
  find(library, prefix + "gesdd_", found.gesdd);
}

LapackLibrary found_in(const BlasLibrary& library) {
  LapackLibrary made{};
  find_all(library, "s", made.f32);
  find_all(library, "d", made.f64);
  find_all(library, "c", made.complex64);
  find_all(library, "z", made.complex128);
  return made;
}

}  // namespace

const LapackLibrary& load_lapack_library() {
  static const LapackLibrary library = found_in(load_blas_library());
  return library;
}

}  // namespace tutti
