#include "CBenchSystem.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
void bench_release_free_memory(void) { malloc_trim(0); }
#else
void bench_release_free_memory(void) {}
#endif

static volatile int finished;

// The write after the call keeps the compiler from jumping to the body, which would end this
// function for the tools.
__attribute__((noinline)) void strata_gate_measured(void (*body)(void *), void *context) {
  body(context);
  finished = 1;
}
