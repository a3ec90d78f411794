// What starts and joins keep apart from a store that waits is no way for others to see it: 'first' is joined before what
// it leaves is read, and 'main' waits for its own buffer before it starts another. With -DLATE it is read before the join.
// RUN: sapa-cc %s | sapa-opt -p 'default,print-delays{memory=pso}' --no-output - 2>&1
// RUN: sapa-cc -DLATE %s | sapa-opt -p 'default,print-delays{memory=tso}' --no-output - 2>&1
// RUN: sapa-cc -DTWICE %s | sapa-opt -p 'default,print-delays{memory=tso}' --no-output - 2>&1
// RUN: sapa-cc %s | sapa-opt -p 'default,print-delays{memory=tso,wait-for-room}' --no-output - 2>&1
#include <pthread.h>

int x, y, z;
int __unbuffered_seen[3];

void *first(void *unused) {
    x = 1;
    __unbuffered_seen[0] = y;
    return 0;
}

void *second(void *unused) {
    y = 1;
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
#ifdef TWICE
    pthread_create(&u, 0, first, 0);
#endif
#ifdef LATE
    pthread_join(u, 0);
    __unbuffered_seen[1] = x;
    pthread_join(t, 0);
#else
    pthread_join(t, 0);
    __unbuffered_seen[1] = x;
    pthread_join(u, 0);
#endif
    z = 1;
    __unbuffered_seen[2] = x;
    pthread_create(&u, 0, second, 0);
}
