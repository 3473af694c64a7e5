#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct strata_libpq strata_libpq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[512];

// The names under which systems have the library.
static const char *const names[] = {
#ifdef __APPLE__
    "libpq.5.dylib",
    "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
    "/usr/local/opt/libpq/lib/libpq.5.dylib",
#else
    "libpq.so.5",
#endif
};

static void load(void) {
  void *library = NULL;
  for (size_t i = 0; library == NULL && i < sizeof names / sizeof *names; i++) {
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  }
  if (library == NULL) {
    const char *reason = dlerror();
    // An empty text would stand for success.
    snprintf(failure, sizeof failure, "%s", reason == NULL || *reason == 0 ? "not found" : reason);
    return;
  }
#define X(result, name, parameters, arguments) \
  strata_libpq.name = (result(*) parameters)dlsym(library, "PQ" #name); \
  if (strata_libpq.name == NULL) { \
    snprintf(failure, sizeof failure, "it has no function PQ" #name); \
    return; \
  }
  STRATA_LIBPQ(X)
#undef X
}

const char *strata_load_libpq(void) {
  pthread_once(&once, load);
  return failure[0] == 0 ? NULL : failure;
}
