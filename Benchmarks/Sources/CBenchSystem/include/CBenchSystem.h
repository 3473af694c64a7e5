#ifndef C_BENCH_SYSTEM_H
#define C_BENCH_SYSTEM_H

/// Gives memory that was freed back to the system, where the C library can.
void bench_release_free_memory(void);

/// Runs the body, and nothing else: tools that count instructions count what is below this name.
void strata_gate_measured(void (*body)(void *), void *context);

#endif
