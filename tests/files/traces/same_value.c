// A store is a row even if memory holds the value already; an exchange that fails stores nothing.
// RUN: sapa check %s --threads 1
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

atomic_int turn = 1, word;
int x, zeros[2], expected;

void *other(void *unused)
{
    atomic_store(&turn, 1);
    int old = atomic_exchange(&turn, 1);
    expected = old;
    atomic_compare_exchange_strong(&turn, &expected, 1);
    expected = 5;
    atomic_compare_exchange_strong(&turn, &expected, 7);
    memset(zeros, 0, sizeof zeros);
    atomic_store(&word, 0);
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    assert(x == 0 || atomic_load(&turn) != 1 || zeros[1] != 0);
}
