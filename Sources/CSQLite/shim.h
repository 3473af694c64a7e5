#include <sqlite3.h>

// Variadic in the library, and so out of Swift's reach: switches one option of a connection.
static inline int strata_sqlite3_switch(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}

// Variadic as well: leaves the memory in use uncounted, in this process. SQLITE_MISUSE, with nothing
// changed, once the library was initialized.
static inline int strata_sqlite3_leave_memory_uncounted(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
