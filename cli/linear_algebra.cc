// The functions of BLAS and LAPACK that faiss calls. A command starts twice as fast when it does
// not load these libraries, and few commands multiply matrices: the first call loads them.
#include <dlfcn.h>

#include <cstdlib>

#include "fmt/format.h"

namespace {

constexpr char kLibraries[][16] = {"libblas.so.3", "liblapack.so.3"};

[[noreturn]] void Fail(const char* what) {
  fmt::print(stderr, "cannot load {}: {}\n", what, dlerror());
  std::abort();
}

void* LoadLibrary(const char* name) {
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Fail(name);
  // Results are the same everywhere if each product is computed by the thread that asks for it.
  // Only OpenBLAS has threads of its own.
  if (void* const set_threads = dlsym(library, "openblas_set_num_threads")) {
    reinterpret_cast<void (*)(int)>(set_threads)(1);
  }
  return library;
}

void* FindFunction(const char* name) {
  static void* const libraries[] = {LoadLibrary(kLibraries[0]), LoadLibrary(kLibraries[1])};
  for (void* const library : libraries) {
    if (void* const function = dlsym(library, name)) return function;
  }
  Fail(name);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming,readability-function-size): names of Fortran, all of
// whose arguments are addresses.
#define FORWARD(name, parameters, arguments)                                               \
  extern "C" [[gnu::visibility("hidden")]] int name parameters {                           \
    static const auto function = reinterpret_cast<int(*) parameters>(FindFunction(#name)); \
    return function arguments;                                                             \
  }

FORWARD(sgemm_,
        (const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
         const void* g, const void* h, const void* i, const void* j, const void* k, const void* l,
         const void* m),
        (a, b, c, d, e, f, g, h, i, j, k, l, m))
FORWARD(dgemm_,
        (const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
         const void* g, const void* h, const void* i, const void* j, const void* k, const void* l,
         const void* m),
        (a, b, c, d, e, f, g, h, i, j, k, l, m))
FORWARD(ssyrk_,
        (const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
         const void* g, const void* h, const void* i, const void* j),
        (a, b, c, d, e, f, g, h, i, j))
FORWARD(sgeqrf_,
        (const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
         const void* g, const void* h),
        (a, b, c, d, e, f, g, h))
FORWARD(sorgqr_,
        (const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
         const void* g, const void* h, const void* i),
        (a, b, c, d, e, f, g, h, i))
FORWARD(dsyev_,
        (const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
         const void* g, const void* h, const void* i),
        (a, b, c, d, e, f, g, h, i))
FORWARD(sgesvd_,
        (const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
         const void* g, const void* h, const void* i, const void* j, const void* k, const void* l,
         const void* m, const void* n),
        (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
FORWARD(dgesvd_,
        (const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
         const void* g, const void* h, const void* i, const void* j, const void* k, const void* l,
         const void* m, const void* n),
        (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
// NOLINTEND(readability-identifier-naming,readability-function-size)
