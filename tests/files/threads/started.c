// How many threads the program starts at most is found, used and said.
// RUN: sapa check %s
// RUN: sapa check --threads 5 %s
// RUN: sapa check --threads 1 %s
// RUN: sapa check --json %s
// check: any number of threads (the program starts at most 2; by invariants), sequential consistency
// check: any number of threads (the program starts at most 2; by invariants), sequential consistency
// check: any number of threads (the program starts at most 2; by invariants), sequential consistency
// check: "holds_for":"unbounded","most_started":2
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int n;

void *add(void *arg)
{
    pthread_mutex_lock(&m);
    int old = n;
    n = old + 1;
    assert(n == old + 1);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) {
        pthread_create(&t, 0, add, 0);
        pthread_create(&t, 0, add, 0);
    } else {
        pthread_create(&t, 0, add, 0);
    }
}
