// The pipe of README gives the verdict of `sapa check`.
// RUN: sapa-cc %s -o %t.gir && sapa-opt -p default %t.gir | sapa-abstract --predicates %d/pipe.predicates | sapa-mc --threads 4
// RUN: sapa-cc %s -o %t.gir && sapa-opt -p default %t.gir | sapa-abstract --mode symmetry-oblivious --threads 3 --predicates %d/pipe.predicates | sapa-mc --engine explicit --threads 3
// RUN: sapa check %s --threads 3 --mode symmetry-oblivious --engine plain
// RUN: sapa check %s --mode symmetry-oblivious
// RUN: sapa check %s --threads 4 --predicates %d/pipe.predicates
// RUN: sapa-cc %s | sapa check --threads 4 -
#include <assert.h>
#include <pthread.h>

int busy = 0;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument)
{
    pthread_mutex_lock(&m);
    assert(busy * busy == 0);
    busy = 1;
    busy = 0;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
// check: any number of threads
// nextln: VERIFICATION SUCCESSFUL
// check: at most 3 threads besides the initial one
// nextln: VERIFICATION SUCCESSFUL
// check: any number of threads (by invariants), sequential consistency, access atomicity
// nextln: VERIFICATION SUCCESSFUL
// check: error: --mode symmetry-oblivious expands the program over its threads: give their number with --threads N
// check: any number of threads (by invariants), sequential consistency, access atomicity
// nextln: VERIFICATION SUCCESSFUL
// check: any number of threads (by invariants), sequential consistency, access atomicity
// nextln: VERIFICATION SUCCESSFUL
