// Others may see a store wait where a way of conflicts leads from what its thread does meanwhile back to the store.
// RUN: sapa-cc %s | sapa-opt -p 'default,print-delays{memory=tso}' --no-output - 2>&1
// RUN: sapa-cc %s | sapa-opt -p 'default,print-delays{memory=pso}' --no-output - 2>&1
// RUN: sapa-cc -DFENCE %s | sapa-opt -p 'default,print-delays{memory=tso}' --no-output - 2>&1
// RUN: sapa-cc -DFENCE -DRELEASE %s | sapa-opt -p 'default,print-delays{memory=pso}' --no-output - 2>&1
#include <pthread.h>

int x, y, message, flag;
int __unbuffered_seen[4];

#ifdef FENCE
#define WAIT __sync_synchronize()
#else
#define WAIT
#endif
#ifdef RELEASE
#define ORDER __ATOMIC_RELEASE
#else
#define ORDER __ATOMIC_RELAXED
#endif

void *first(void *unused) {
    x = 1;
    WAIT;
    __unbuffered_seen[0] = y;
    return 0;
}

void *second(void *unused) {
    y = 1;
    WAIT;
    __unbuffered_seen[1] = x;
    return 0;
}

// Nobody waits long enough to be seen under TSO.
void *sender(void *unused) {
    message = 1;
    __atomic_store_n(&flag, 1, ORDER);
    return 0;
}

void *receiver(void *unused) {
    __unbuffered_seen[2] = flag;
    __unbuffered_seen[3] = message;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, first, 0);
    pthread_create(&thread, 0, second, 0);
    pthread_create(&thread, 0, sender, 0);
    pthread_create(&thread, 0, receiver, 0);
}
