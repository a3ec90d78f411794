// Predicates between threads are found, written into the dump, and proved by again when they are given back.
// RUN: sapa check %s --signed-overflow absent --dump-dir %t.d | tail -1
// RUN: grep -hv '^//' "$(ls %t.d/*-predicates.txt | tail -1)" | grep -c '\[worker::mine\]' | sed 's/^[1-9].*/some/'
// RUN: grep -h '^invariant' "$(ls %t.d/*.bp | tail -1)" | grep -c '\[live0\]' | sed 's/^[1-9].*/some/'
// RUN: sapa-mc "$(ls %t.d/*.bp | tail -1)" | tail -1
// RUN: sapa check %s --signed-overflow absent --predicates "$(ls %t.d/*-predicates.txt | tail -1)" --dump-dir %t.e | tail -1
// RUN: ls %t.e/*-predicates.txt | wc -l
// RUN: grep -h '// b.*[^\[]worker::mine.*with every other' %t.e/*.bp | grep -o 'of each thread of worker with every other one, 0: not known' | head -1
// check: VERIFICATION SUCCESSFUL
// nextln: some
// nextln: some
// nextln: VERIFICATION SUCCESSFUL
// nextln: VERIFICATION SUCCESSFUL
// nextln: 1
// nextln: of each thread of worker with every other one, 0: not known
#include <assert.h>
#include <pthread.h>

int next_ticket, now_serving, inside;

void *worker(void *argument)
{
    int mine = __sync_fetch_and_add(&next_ticket, 1);
    while (now_serving != mine) {
    }
    assert(!inside);
    inside = 1;
    inside = 0;
    now_serving = mine + 1;
    for (;;) {
    }
}

int main(void)
{
    pthread_t t;
    for (;;)
        pthread_create(&t, 0, worker, 0);
}
