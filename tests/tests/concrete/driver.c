/* Runs PROGRAMS with all choices of zeros and ones. For each it prints whether an assertion
   fails, and whether all runs were seen and no sanitizer complained. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs.h"

enum { MOST_CHOICES = 6, FAILED = 42, CUT_OFF = 43, TOO_MANY = 44 };

static unsigned choices;
/* How many a run took; shared with its process. */
static unsigned *taken;

_Bool __VERIFIER_nondet_bool(void) {
  if (*taken == MOST_CHOICES)
    _exit(TOO_MANY);
  return choices >> (*taken)++ & 1;
}

int __VERIFIER_nondet_int(void) { return __VERIFIER_nondet_bool(); }

void __CPROVER_assume(int holds) {
  if (!holds)
    _exit(CUT_OFF);
}

void __CPROVER_atomic_begin(void) {}
void __CPROVER_atomic_end(void) {}

void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
  _exit(FAILED);
}

/* How a run ends. */
static int run(int (*program)(void), unsigned with) {
  *taken = 0;
  pid_t child = fork();
  if (child == 0) {
    struct itimerval limit = {.it_value = {.tv_sec = 1}};
    setitimer(ITIMER_PROF, &limit, 0);
    dup2(open("/dev/null", O_WRONLY), 2);
    choices = with;
    _exit(program());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

int main(void) {
  taken = mmap(0, sizeof *taken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (taken == MAP_FAILED)
    return 1;
  for (unsigned at = 0; at < sizeof PROGRAMS / sizeof *PROGRAMS; at++) {
    int fails = 0, all = 1;
    unsigned with = 0, last;
    do {
      int end = run(PROGRAMS[at], with);
      if (end == FAILED)
        fails = 1;
      else if (end != 0 && end != CUT_OFF)
        all = 0;
      /* The next in the order of an odometer: the last zero taken becomes a one. */
      last = *taken;
      while (last > 0 && with >> (last - 1) & 1)
        last--;
      if (last > 0)
        with = (with & ((1u << last) - 1)) | 1u << (last - 1);
    } while (last > 0);
    printf("%d %d\n", fails, all);
  }
  return 0;
}
