// The library as the system has it. Nothing of Strata's own module for it is used here.
#include <sqlite3.h>
