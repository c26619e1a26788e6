// The clock of the soaked server: the time of day of the machine, moved by the milliseconds in the file that SOAK_CLOCK names.
// Loaded into each process by LD_PRELOAD. Clocks that only grow (CLOCK_MONOTONIC) are left alone, as when somebody sets the
// clock of a machine. It takes no memory and no lock, because it is called before either works.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *offset_ms;

static int64_t offset(void) {
  return offset_ms ? *offset_ms : 0;
}

__attribute__((constructor)) static void map_offset(void) {
  const char *file = getenv("SOAK_CLOCK");
  int descriptor = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) return;
  void *mapped = mmap(0, sizeof *offset_ms, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped != MAP_FAILED) offset_ms = mapped;
  close(descriptor);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int failed = syscall(SYS_clock_gettime, clock, time);
  if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
  int64_t moved = offset();
  time->tv_sec += moved / 1000;
  time->tv_nsec += moved % 1000 * 1000000;
  if (time->tv_nsec < 0) { time->tv_nsec += 1000000000; time->tv_sec -= 1; }
  if (time->tv_nsec >= 1000000000) { time->tv_nsec -= 1000000000; time->tv_sec += 1; }
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec time;
  (void)zone;
  int failed = clock_gettime(CLOCK_REALTIME, &time);
  if (!failed) { now->tv_sec = time.tv_sec; now->tv_usec = time.tv_nsec / 1000; }
  return failed;
}

time_t time(time_t *stored) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (stored) *stored = now.tv_sec;
  return now.tv_sec;
}
