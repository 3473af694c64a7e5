// The C interface of RocksDB.
#include <rocksdb/c.h>
