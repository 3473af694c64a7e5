// Preloaded into a process: writes a line to the file named by SYNC_LOG before each return of a
// call that makes a file durable, "sync" for fsync, fdatasync and msync, "through" for a write by a
// descriptor that syncs by itself, and the path of the file. A folder that is made is logged as
// "mkdir", a file that gets a name by rename as "rename" with that name, where LOG_LOCKS is set, a
// lock by fcntl as "lock", and, where LOG_WRITES is set, a write to a file as "write".
//
// Where LOG_DATA is set, the log also has what a disk needs to be rebuilt: "data OFFSET HEX PATH" for a
// write, "size COUNT PATH" for a change of size, "from PATH" before the "rename" or "link" of that file,
// "unlink", and "reported TEXT" for a line on the standard output.
//
// With FAIL_CALL one kind of call, "sync", "lock", "write" or "name", fails with the errno FAIL_ERROR, once:
// the FAIL_AT'th, or from that one on where FAIL_ALL is set. FAIL_SUFFIX restricts it to files whose
// names end so. FAIL_CALL "kill" counts syncs and writes together, and kills the process before the
// FAIL_AT'th; where FAIL_NAMES is set, renames and removals of files ("name") are counted too.
//
// With REMOVE_AT "number path", the file of this path loses its name before the sync of this number.
//
// With META_FAULT "first times error bytes", so many writes of LMDB's meta pages fail, the first of
// them being the one of this number: bytes of it are written, and then errno is set, or with 0 the
// process ends.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void path_of(int file, char *path, size_t size) {
  char link[64];
  strcpy(path, "memory");
  if (file < 0) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, size - 1);
  path[count < 0 ? 0 : count] = 0;
}

static void note_line(const char *line, size_t length) {
  const char *log = getenv("SYNC_LOG");
  if (!log) return;
  int out = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (out < 0) return;
  ssize_t (*plain)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  if (plain(out, line, length) != (ssize_t)length) abort();
  close(out);
}

static void note_path(const char *call, const char *path) {
  char line[4200];
  note_line(line, snprintf(line, sizeof line, "%s %s\n", call, path));
}

static int logs_data(void) { return getenv("SYNC_LOG") && getenv("LOG_DATA"); }

static void note(const char *call, int file) {
  char path[4096];
  path_of(file, path, sizeof path);
  note_path(call, path);
}

// Logs what was written to a file, or reported.
static void note_data(int file, off_t offset, const unsigned char *bytes, size_t count) {
  if (!logs_data()) return;
  char path[4096];
  path_of(file, path, sizeof path);
  char *line = malloc(2 * count + sizeof path + 64);
  if (!line) abort();
  size_t length;
  if (file == 1) {
    length = sprintf(line, "reported %.*s", (int)count, bytes);
  } else {
    length = sprintf(line, "data %lld ", (long long)offset);
    for (size_t place = 0; place < count; place++) {
      line[length++] = "0123456789abcdef"[bytes[place] >> 4];
      line[length++] = "0123456789abcdef"[bytes[place] & 15];
    }
    length += sprintf(line + length, " %s\n", path);
  }
  if (file == 1 || path[0] == '/') note_line(line, length);
  free(line);
}

static void note_parts(int file, off_t offset, const struct iovec *parts, size_t written) {
  for (; written > 0; parts++) {
    size_t count = parts->iov_len < written ? parts->iov_len : written;
    note_data(file, offset, parts->iov_base, count);
    offset += count;
    written -= count;
  }
}

#define NEXT(type, name, ...) \
  static type (*next)(__VA_ARGS__); \
  if (!next) next = dlsym(RTLD_NEXT, name)

static int next_fcntl(int file, int command, void *argument) {
  NEXT(int, "fcntl", int, int, ...);
  return next(file, command, argument);
}

static void note_write(int file) {
  if (next_fcntl(file, F_GETFL, NULL) & O_DSYNC) note("through", file);
}

static int calls;

// Whether this call is one that is to fail; then errno is set.
static int fails(const char *call, int file) {
  const char *which = getenv("FAIL_CALL"), *at = getenv("FAIL_AT");
  if (!which || !at) return 0;
  int kills = !strcmp(which, "kill") && strcmp(call, "lock")
      && (strcmp(call, "name") || getenv("FAIL_NAMES"));
  if (!kills && strcmp(which, call)) return 0;
  const char *suffix = getenv("FAIL_SUFFIX");
  if (suffix) {
    char path[4096];
    path_of(file, path, sizeof path);
    size_t length = strlen(path), end = strlen(suffix);
    if (length < end || strcmp(path + length - end, suffix)) return 0;
  }
  int number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  if (number < atoi(at) || (number > atoi(at) && !getenv("FAIL_ALL"))) return 0;
  if (kills) kill(getpid(), SIGKILL);
  const char *error = getenv("FAIL_ERROR");
  errno = error ? atoi(error) : EIO;
  return 1;
}

// Takes the name of a file away before a sync that is to find it gone.
static void remove_before_sync(void) {
  static int seen;
  const char *which = getenv("REMOVE_AT"), *path = which ? strchr(which, ' ') : NULL;
  if (!path || __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST) != atoi(which)) return;
  int (*plain)(const char *) = dlsym(RTLD_NEXT, "unlink");
  if (plain(path + 1)) abort();
}

int fsync(int file) {
  NEXT(int, "fsync", int);
  remove_before_sync();
  if (fails("sync", file)) return -1;
  int result = next(file);
  if (result == 0) note("sync", file);
  return result;
}

int fdatasync(int file) {
  NEXT(int, "fdatasync", int);
  remove_before_sync();
  if (fails("sync", file)) return -1;
  int result = next(file);
  if (result == 0) note("sync", file);
  return result;
}

int msync(void *start, size_t length, int flags) {
  NEXT(int, "msync", void *, size_t, int);
  if (flags & MS_SYNC && fails("sync", -1)) return -1;
  int result = next(start, length, flags);
  if (result == 0 && flags & MS_SYNC) note("sync", -1);
  return result;
}

// Whether a write is one that is to fail; writes to the standard streams are not counted.
static int fails_write(int file) {
  if (file <= 2) return 0;
  if (fails("write", file)) return 1;
  if (getenv("LOG_WRITES")) note("write", file);
  return 0;
}

ssize_t write(int file, const void *bytes, size_t count) {
  NEXT(ssize_t, "write", int, const void *, size_t);
  if (fails_write(file)) return -1;
  ssize_t result = next(file, bytes, count);
  if (result > 0) note_data(file, lseek(file, 0, SEEK_CUR) - result, bytes, result);
  if (result >= 0) note_write(file);
  return result;
}

// Whether a write is one of a meta page that is to fail: less than a page, past the header of one of
// the first two. A page has 4096 bytes here.
static int tears(int file, const void *bytes, size_t count, off_t offset) {
  static int seen;
  int first, times, error, part;
  const char *fault = getenv("META_FAULT");
  if (!fault || count > 256 || offset > 8192 || offset % 4096 == 0) return 0;
  if (sscanf(fault, "%d %d %d %d", &first, &times, &error, &part) != 4) abort();
  seen++;
  if (seen < first || seen >= first + times) return 0;
  ssize_t (*plain)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");
  if ((size_t)part > count) part = count;
  if (part && plain(file, bytes, part, offset) != part) abort();
  if (!error) _exit(9);
  errno = error;
  return 1;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  NEXT(ssize_t, "pwrite", int, const void *, size_t, off_t);
  if (fails_write(file)) return -1;
  if (tears(file, bytes, count, offset)) return -1;
  ssize_t result = next(file, bytes, count, offset);
  if (result > 0) note_data(file, offset, bytes, result);
  if (result >= 0) note_write(file);
  return result;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  NEXT(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  if (fails_write(file)) return -1;
  if (tears(file, bytes, count, offset)) return -1;
  ssize_t result = next(file, bytes, count, offset);
  if (result > 0) note_data(file, offset, bytes, result);
  if (result >= 0) note_write(file);
  return result;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  NEXT(ssize_t, "writev", int, const struct iovec *, int);
  if (fails_write(file)) return -1;
  ssize_t result = next(file, parts, count);
  if (result > 0) note_parts(file, lseek(file, 0, SEEK_CUR) - result, parts, result);
  if (result >= 0) note_write(file);
  return result;
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  NEXT(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
  if (fails_write(file)) return -1;
  ssize_t result = next(file, parts, count, offset);
  if (result > 0) note_parts(file, offset, parts, result);
  if (result >= 0) note_write(file);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  NEXT(int, "mkdir", const char *, mode_t);
  int result = next(path, mode);
  if (result == 0) note_path("mkdir", path);
  return result;
}

int rename(const char *from, const char *to) {
  NEXT(int, "rename", const char *, const char *);
  if (fails("name", -1)) return -1;
  int result = next(from, to);
  if (result == 0 && logs_data()) note_path("from", from);
  if (result == 0) note_path("rename", to);
  return result;
}

int link(const char *from, const char *to) {
  NEXT(int, "link", const char *, const char *);
  int result = next(from, to);
  if (result == 0 && logs_data()) {
    note_path("from", from);
    note_path("link", to);
  }
  return result;
}

int unlink(const char *path) {
  NEXT(int, "unlink", const char *);
  if (fails("name", -1)) return -1;
  int result = next(path);
  if (result == 0 && logs_data()) note_path("unlink", path);
  return result;
}

static void note_size(int file, off_t size) {
  if (!logs_data()) return;
  char path[4096], call[64];
  path_of(file, path, sizeof path);
  snprintf(call, sizeof call, "size %lld", (long long)size);
  note_path(call, path);
}

int ftruncate(int file, off_t size) {
  NEXT(int, "ftruncate", int, off_t);
  int result = next(file, size);
  if (result == 0) note_size(file, size);
  return result;
}

int ftruncate64(int file, off64_t size) {
  NEXT(int, "ftruncate64", int, off64_t);
  int result = next(file, size);
  if (result == 0) note_size(file, size);
  return result;
}

static int lock(int file, int command, void *argument) {
  if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) {
    if (fails("lock", file)) return -1;
    if (getenv("LOG_LOCKS")) note("lock", file);
  }
  return next_fcntl(file, command, argument);
}

int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return lock(file, command, argument);
}

int fcntl64(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return lock(file, command, argument);
}
