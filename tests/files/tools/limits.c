// Limits hold in every phase and for the whole process: more than two million inlined calls, a
// preprocessor and a standard input that never end.
// RUN: sapa check -DCALLS %s --timeout 2; echo "exit $?"
// check: inconclusive: out of time in pass inline
// nextln: VERIFICATION INCONCLUSIVE
// nextln: exit 5
// RUN: sapa check -DCALLS %s --memory-limit 64; echo "exit $?"
// check: inconclusive: out of memory in pass inline
// nextln: VERIFICATION INCONCLUSIVE
// nextln: exit 5
// RUN: sapa check -DCALLS %s --timeout 0.3 --json
// check: "verdict":"inconclusive"
// sameln: "text":"out of time in 
// The compiler and all that it has started end with sapa.
// RUN: h=%t.h; mkfifo $h; sapa check -DHEADER="\"$h\"" %s --timeout 0.3; ps -e -o args | grep -c "^[^ ]*cc1 .*$h"
// check: inconclusive: out of time in preprocessing
// nextln: VERIFICATION INCONCLUSIVE
// nextln: 0
// RUN: sleep 1 | sapa check - --timeout 0.2
// check: inconclusive: out of time in reading
// nextln: VERIFICATION INCONCLUSIVE
// Ctrl-C.
// RUN: timeout --preserve-status -s INT 1 sapa check -DCALLS %s; echo "exit $?"
// check: inconclusive: interrupted in
// nextln: VERIFICATION INCONCLUSIVE
// nextln: exit 5
// What is written is written whole.
// RUN: mkdir %t.d; sapa check -DLOOP %s --threads 8 --dump-dir %t.d --timeout 0.5 > /dev/null; ls -A %t.d | grep -c tmp
// check: 0
// RUN: for t in 0 -1 nan x 1e999 "" 2s; do sapa check %s --timeout "$t" 2>&1 | head -1; done
// check: error: invalid value '0' for '--timeout <SECONDS>': expected a number of seconds above 0
// nextln: error: invalid value '-1' for '--timeout <SECONDS>': expected a number of seconds above 0
// nextln: error: invalid value 'nan' for '--timeout <SECONDS>': expected a number of seconds above 0
// nextln: error: invalid value 'x' for '--timeout <SECONDS>': expected a number of seconds above 0
// nextln: error: invalid value '1e999' for '--timeout <SECONDS>': expected a number of seconds above 0
// nextln: error: 
// nextln: error: invalid value '2s' for '--timeout <SECONDS>': expected a number of seconds above 0
// RUN: for m in 0 -1 0.5 x; do sapa check %s --memory-limit "$m" 2>&1 | head -1; done
// check: error: invalid value '0' for '--memory-limit <MB>': expected a number of megabytes above 0
// nextln: error: invalid value '-1' for '--memory-limit <MB>': expected a number of megabytes above 0
// nextln: error: invalid value '0.5' for '--memory-limit <MB>': expected a number of megabytes above 0
// nextln: error: invalid value 'x' for '--memory-limit <MB>': expected a number of megabytes above 0
// RUN: sapa check %s --timeout 0
// EXIT: 1
#include <assert.h>
#include <pthread.h>
#ifdef HEADER
#include HEADER
#endif

unsigned g;
void f0(void) { g++; }
#define TWICE(to, from) void to(void) { from(); from(); }
TWICE(f1, f0) TWICE(f2, f1) TWICE(f3, f2) TWICE(f4, f3) TWICE(f5, f4) TWICE(f6, f5)
TWICE(f7, f6) TWICE(f8, f7) TWICE(f9, f8) TWICE(f10, f9) TWICE(f11, f10) TWICE(f12, f11)
TWICE(f13, f12) TWICE(f14, f13) TWICE(f15, f14) TWICE(f16, f15) TWICE(f17, f16)
TWICE(f18, f17) TWICE(f19, f18) TWICE(f20, f19) TWICE(f21, f20)

void *count(void *argument)
{
    for (int i = 0; i < 1000; i++)
        g++;
    assert(g != 7777);
    return 0;
}

int main(void)
{
#ifdef CALLS
    f21();
    assert(g > 0);
#endif
#ifdef LOOP
    pthread_t t;
    while (1)
        pthread_create(&t, 0, count, 0);
#endif
}
