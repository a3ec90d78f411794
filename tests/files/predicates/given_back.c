// Predicates that a run found are read back and mean the same: two functions have a local `my`, one
// of them is compared as an unsigned number, and a difference has no name in the source.
// RUN: sapa check %s --threads 3 --dump-dir %t.d | tail -1
// RUN: grep -hv '^//' %t.d/*-predicates.txt | grep -c 'worker::my\|reader::my' | sed 's/^[1-9].*/some/'
// RUN: sapa check %s --threads 3 --predicates "$(ls %t.d/*-predicates.txt | tail -1)" --dump-dir %t.e | tail -1
// RUN: ls %t.e/*-predicates.txt | wc -l
// check: VERIFICATION SUCCESSFUL
// nextln: some
// nextln: VERIFICATION SUCCESSFUL
// nextln: 1
#include <assert.h>
#include <pthread.h>

unsigned value;
signed char small;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument)
{
    unsigned my;
    pthread_mutex_lock(&m);
    my = value;
    if (my < 40)
        value = my + 1;
    pthread_mutex_unlock(&m);
    assert(value > my || my >= 40);
    return 0;
}

void *reader(void *argument)
{
    signed char my;
    pthread_mutex_lock(&m);
    my = small;
    small = my;
    pthread_mutex_unlock(&m);
    assert(small == my);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    while (1) {
        pthread_create(&a, 0, worker, 0);
        pthread_create(&b, 0, reader, 0);
    }
}
