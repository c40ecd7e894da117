// SPDX-License-Identifier: Apache-2.0
// An OpenBLAS whose sizes are integers of 64 bits, as far as it says so. None of its other functions may be
// called.
extern "C" {
char* openblas_get_config() {
  static char config[] = "OpenBLAS 0.3.99 USE64BITINT";
  return config;
}
int openblas_get_parallel() { __builtin_trap(); }
int openblas_get_num_threads() { __builtin_trap(); }
void openblas_set_num_threads(int) { __builtin_trap(); }
void* blas_memory_alloc(int) { __builtin_trap(); }
void blas_memory_free(void*) { __builtin_trap(); }
void cblas_dgemm() { __builtin_trap(); }
void cblas_cgemm() { __builtin_trap(); }
void cblas_zgemm() { __builtin_trap(); }
}
