// Lets a test break the disk of one process while it runs: loaded before the C library (LD_PRELOAD), it does to each write, sync and truncation of a
// regular file what the file DISK_FAULT_FILE says: `full` (ENOSPC to whatever writes), `write` (EIO to it), `sync` (EIO to each sync), or a number of
// ms by which each write and sync is late. Anything else is a disk that works.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum kind { WRITES, SYNCS };

/** Returns the error that this call on this file gets, or 0 after as long as it takes. */
static int fault(int file, enum kind kind) {
  const char *path = getenv("DISK_FAULT_FILE");
  struct stat what;
  char says[32];
  if (!path || fstat(file, &what) || !S_ISREG(what.st_mode)) return 0;
  int from = open(path, O_RDONLY | O_CLOEXEC);
  if (from < 0) return 0;
  ssize_t bytes = read(from, says, sizeof says - 1);
  close(from);
  if (bytes <= 0) return 0;
  says[bytes] = 0;
  if (!strcmp(says, "full")) return kind == WRITES ? ENOSPC : 0;
  if (!strcmp(says, "write")) return kind == WRITES ? EIO : 0;
  if (!strcmp(says, "sync")) return kind == SYNCS ? EIO : 0;
  long late_ms = atol(says);
  struct timespec late = {late_ms / 1000, late_ms % 1000 * 1000000};
  if (late_ms > 0) nanosleep(&late, NULL);
  return 0;
}

#define BROKEN(result, name, parameters, arguments, file, kind)        \
  result name parameters {                                             \
    static result (*real) parameters;                                  \
    if (!real) real = (result (*) parameters)dlsym(RTLD_NEXT, #name);  \
    int error = fault(file, kind);                                     \
    if (!error) return real arguments;                                 \
    errno = error;                                                     \
    return -1;                                                         \
  }

BROKEN(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at), file, WRITES)
BROKEN(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at), file, WRITES)
BROKEN(int, ftruncate, (int file, off_t size), (file, size), file, WRITES)
BROKEN(int, ftruncate64, (int file, off64_t size), (file, size), file, WRITES)
BROKEN(int, fsync, (int file), (file), file, SYNCS)
BROKEN(int, fdatasync, (int file), (file), file, SYNCS)
