// The part of libpq's interface that PostgresBackend uses, declared here so that a build needs
// neither its header nor its library. The library is loaded when the first connection is opened.
// The interface is that of chapter "libpq - C Library" of PostgreSQL's manual; it is the same in every
// version from 14 on, whose soname is libpq.so.5.
#ifndef STRATA_CPOSTGRES_H
#define STRATA_CPOSTGRES_H

#include <stddef.h>

// Types that are written out have names of their own: a program may have libpq's header too, whose types
// of one name must not differ from these.

typedef unsigned int Oid;
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;
typedef void (*PQnoticeReceiver)(void *argument, const PGresult *result);

#define PG_COPYRES_ATTRS 1

typedef enum { CONNECTION_OK, CONNECTION_BAD } StrataConnStatus;

typedef enum {
  PGRES_POLLING_FAILED,
  PGRES_POLLING_READING,
  PGRES_POLLING_WRITING,
  PGRES_POLLING_OK
} StrataPollingStatus;

typedef enum {
  PGRES_EMPTY_QUERY,
  PGRES_COMMAND_OK,
  PGRES_TUPLES_OK,
  PGRES_COPY_OUT,
  PGRES_COPY_IN,
  PGRES_BAD_RESPONSE,
  PGRES_NONFATAL_ERROR,
  PGRES_FATAL_ERROR,
  PGRES_COPY_BOTH,
  PGRES_SINGLE_TUPLE,
  PGRES_PIPELINE_SYNC,
  PGRES_PIPELINE_ABORTED
} StrataExecStatus;

typedef enum {
  PQTRANS_IDLE,
  PQTRANS_ACTIVE,
  PQTRANS_INTRANS,
  PQTRANS_INERROR,
  PQTRANS_UNKNOWN
} StrataTransactionStatus;

typedef enum { PQERRORS_TERSE, PQERRORS_DEFAULT, PQERRORS_VERBOSE } StrataVerbosity;

// An option of a connection; `keyword` of the last one is null.
typedef struct {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} StrataConninfoOption;

// Loads libpq, once in a process; later calls return what the first one did. Any thread may call it.
// Returns null, or a text of why no libpq from version 14 on is there. Until it has returned null, no
// other function of this header may be called.
const char *strata_load_libpq(void);

// X(result, name without PQ, parameters, arguments) for each function.
#define STRATA_LIBPQ(X) \
  X(int, backendPID, (const PGconn *connection), (connection)) \
  X(int, cancel, (PGcancel *cancel, char *text, int size), (cancel, text, size)) \
  X(void, clear, (PGresult *result), (result)) \
  X(char *, cmdStatus, (PGresult *result), (result)) \
  X(char *, cmdTuples, (PGresult *result), (result)) \
  X(StrataPollingStatus, connectPoll, (PGconn *connection), (connection)) \
  X(PGconn *, connectStartParams, (const char *const *names, const char *const *values, int expands), (names, values, expands)) \
  X(void, conninfoFree, (StrataConninfoOption *options), (options)) \
  X(StrataConninfoOption *, conninfoParse, (const char *text, char **error), (text, error)) \
  X(int, consumeInput, (PGconn *connection), (connection)) \
  X(PGresult *, copyResult, (const PGresult *result, int flags), (result, flags)) \
  X(int, enterPipelineMode, (PGconn *connection), (connection)) \
  X(char *, errorMessage, (const PGconn *connection), (connection)) \
  X(int, exitPipelineMode, (PGconn *connection), (connection)) \
  X(void, finish, (PGconn *connection), (connection)) \
  X(int, flush, (PGconn *connection), (connection)) \
  X(char *, fname, (const PGresult *result, int column), (result, column)) \
  X(void, freeCancel, (PGcancel *cancel), (cancel)) \
  X(Oid, ftype, (const PGresult *result, int column), (result, column)) \
  X(PGcancel *, getCancel, (PGconn *connection), (connection)) \
  X(PGresult *, getResult, (PGconn *connection), (connection)) \
  X(int, getisnull, (const PGresult *result, int row, int column), (result, row, column)) \
  X(int, getlength, (const PGresult *result, int row, int column), (result, row, column)) \
  X(char *, getvalue, (const PGresult *result, int row, int column), (result, row, column)) \
  X(int, isBusy, (PGconn *connection), (connection)) \
  X(int, nfields, (const PGresult *result), (result)) \
  X(int, nparams, (const PGresult *result), (result)) \
  X(int, ntuples, (const PGresult *result), (result)) \
  X(const char *, parameterStatus, (const PGconn *connection, const char *name), (connection, name)) \
  X(Oid, paramtype, (const PGresult *result, int parameter), (result, parameter)) \
  X(int, pipelineSync, (PGconn *connection), (connection)) \
  X(char *, resultErrorField, (const PGresult *result, int field), (result, field)) \
  X(size_t, resultMemorySize, (const PGresult *result), (result)) \
  X(StrataExecStatus, resultStatus, (const PGresult *result), (result)) \
  X(int, sendDescribePrepared, (PGconn *connection, const char *statement), (connection, statement)) \
  X(int, sendPrepare, (PGconn *connection, const char *statement, const char *text, int count, const Oid *types), (connection, statement, text, count, types)) \
  X(int, sendQuery, (PGconn *connection, const char *text), (connection, text)) \
  X(int, sendQueryParams, (PGconn *connection, const char *text, int count, const Oid *types, const char *const *values, const int *lengths, const int *formats, int format), (connection, text, count, types, values, lengths, formats, format)) \
  X(int, sendQueryPrepared, (PGconn *connection, const char *statement, int count, const char *const *values, const int *lengths, const int *formats, int format), (connection, statement, count, values, lengths, formats, format)) \
  X(int, serverVersion, (const PGconn *connection), (connection)) \
  X(StrataVerbosity, setErrorVerbosity, (PGconn *connection, StrataVerbosity verbosity), (connection, verbosity)) \
  X(PQnoticeReceiver, setNoticeReceiver, (PGconn *connection, PQnoticeReceiver receiver, void *argument), (connection, receiver, argument)) \
  X(int, setSingleRowMode, (PGconn *connection), (connection)) \
  X(int, setnonblocking, (PGconn *connection, int isNonblocking), (connection, isNonblocking)) \
  X(int, setvalue, (PGresult *result, int row, int column, char *value, int length), (result, row, column, value, length)) \
  X(int, socket, (const PGconn *connection), (connection)) \
  X(StrataConnStatus, status, (const PGconn *connection), (connection)) \
  X(StrataTransactionStatus, transactionStatus, (const PGconn *connection), (connection))

// The addresses of the functions, which `strata_load_libpq` sets before it returns null.
struct strata_libpq {
#define X(result, name, parameters, arguments) result(*name) parameters;
  STRATA_LIBPQ(X)
#undef X
};
extern struct strata_libpq strata_libpq;

#define X(result, name, parameters, arguments) \
  static inline result PQ##name parameters { return strata_libpq.name arguments; }
STRATA_LIBPQ(X)
#undef X

#endif
