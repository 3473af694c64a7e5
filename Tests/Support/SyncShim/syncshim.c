// Preloaded into a process: writes a line to the file named by SYNC_LOG before each return of a
// call that makes a file durable, "sync" for fsync, fdatasync and msync, "through" for a write by a
// descriptor that syncs by itself, and the path of the file.
//
// With META_FAULT "first times error bytes", so many writes of LMDB's meta pages fail, the first of
// them being the one of this number: bytes of it are written, and then errno is set, or with 0 the
// process ends.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static void note(const char *call, int file) {
  const char *log = getenv("SYNC_LOG");
  if (!log) return;
  char link[64], path[4096] = "memory";
  if (file >= 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, sizeof path - 1);
    path[count < 0 ? 0 : count] = 0;
  }
  char line[4200];
  int length = snprintf(line, sizeof line, "%s %s\n", call, path);
  int out = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (out < 0) return;
  ssize_t (*plain)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  if (plain(out, line, length) != length) abort();
  close(out);
}

static void note_write(int file) {
  if (fcntl(file, F_GETFL) & O_DSYNC) note("through", file);
}

#define NEXT(type, name, ...) \
  static type (*next)(__VA_ARGS__); \
  if (!next) next = dlsym(RTLD_NEXT, name)

int fsync(int file) {
  NEXT(int, "fsync", int);
  int result = next(file);
  if (result == 0) note("sync", file);
  return result;
}

int fdatasync(int file) {
  NEXT(int, "fdatasync", int);
  int result = next(file);
  if (result == 0) note("sync", file);
  return result;
}

int msync(void *start, size_t length, int flags) {
  NEXT(int, "msync", void *, size_t, int);
  int result = next(start, length, flags);
  if (result == 0 && flags & MS_SYNC) note("sync", -1);
  return result;
}

ssize_t write(int file, const void *bytes, size_t count) {
  NEXT(ssize_t, "write", int, const void *, size_t);
  ssize_t result = next(file, bytes, count);
  if (result >= 0) note_write(file);
  return result;
}

// Whether a write is one of a meta page that is to fail: less than a page, past the header of one of
// the first two. A page has 4096 bytes here.
static int fails(int file, const void *bytes, size_t count, off_t offset) {
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
  if (fails(file, bytes, count, offset)) return -1;
  ssize_t result = next(file, bytes, count, offset);
  if (result >= 0) note_write(file);
  return result;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  NEXT(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  if (fails(file, bytes, count, offset)) return -1;
  ssize_t result = next(file, bytes, count, offset);
  if (result >= 0) note_write(file);
  return result;
}
