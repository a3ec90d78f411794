// The naive scheme executes the Boolean program of sequential consistency with store buffers: it misses the failure of Fig. 3
// of the CUPEX paper, and says that it is unsound.
// RUN: sapa check --mm pso --mode naive --threads 2 --atomicity statement %s || echo "exit $?"
// RUN: sapa check --mm x86 --mode naive --threads 2 --atomicity statement --predicates %d/naive.predicates %s || echo "exit $?"
// RUN: sapa-cc --atomicity statement %s | sapa-opt -p default | sapa-abstract --mode naive --mm pso --predicates %d/naive.predicates -o %t.bp; sapa-mc --threads 2 %t.bp | tail -1
// RUN: sapa check --mm pso --threads 2 --atomicity statement %s | tail -1
// What it finds is none of sequential consistency, and so not replayed.
// RUN: sapa check --mm pso --mode naive --threads 2 %d/store_buffering.c || echo "exit $?"
// With fences no run fails; the scheme has a trace of which it does not know.
// RUN: sapa check --mm pso --mode naive --threads 2 -DFENCE %d/store_buffering.c || echo "exit $?"
// RUN: sapa check --mode naive %s 2>&1 || echo "exit $?"
// RUN: sapa-cc %s | sapa-opt -p default | sapa-abstract --mode naive 2>&1 || true
#include <assert.h>
#include <pthread.h>

int x = 0, y = 0;

void *first(void *arg)
{
    x = y + 1;
    return 0;
}

void *second(void *arg)
{
    y = x + 1;
    assert(x != y);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
}
