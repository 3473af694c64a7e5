#include <sqlite3.h>

// Variadic in the library, and so out of Swift's reach: leaves the memory in use uncounted, in this
// process, as our store does. Without effect once the library was initialized.
static inline int bench_sqlite3_leave_memory_uncounted(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
