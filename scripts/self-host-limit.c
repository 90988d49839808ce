// Keeps workerd below its limit of open files, at which it ends. Loaded before the C library (LD_PRELOAD), it answers what connects above that with 503
// and closes it. It uses the kernel's calls alone, so that any C library goes. Linux gives each file the lowest number that is free: a connection whose
// number is near the limit says that as many are open.

#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// workerd opens a second file for each connection. The others are for the way to the site and for databases; without one of those a request fails, and
// no more than that.
#define SPARE 16

#define SAYS "Too many people are connected just now. This page tries again by itself.\n"
#define ANSWER                                                            \
  "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nRefresh: 10\r\n" \
  "Cache-Control: no-store\r\nContent-Type: text/plain\r\nContent-Length: 73\r\nConnection: close\r\n\r\n" SAYS

_Static_assert(sizeof SAYS - 1 == 73, "Content-Length");

static void refuse(int connection) {
  char unread[4096];
  send(connection, ANSWER, sizeof ANSWER - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(connection, SHUT_WR);
  // With something unread the kernel would take the answer back.
  while (recv(connection, unread, sizeof unread, MSG_DONTWAIT) > 0) {}
  close(connection);
}

int accept4(int listening, struct sockaddr *address, socklen_t *length, int flags) {
  socklen_t room = length ? *length : 0;
  for (;;) {
    if (length) *length = room;
    int connection = syscall(SYS_accept4, listening, address, length, flags);
    // Whoever waits is accepted with the next that comes.
    if (connection < 0 && (errno == EMFILE || errno == ENFILE)) errno = EAGAIN;
    struct rlimit files;
    if (connection < 0 || getrlimit(RLIMIT_NOFILE, &files) != 0 || (rlim_t)connection + SPARE < files.rlim_cur) return connection;
    refuse(connection);
  }
}
