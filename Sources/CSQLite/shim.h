#include <sqlite3.h>

// Variadic in the library, and so out of Swift's reach: switches one option of a connection.
static inline int strata_sqlite3_switch(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}
