// Each step of a trace has its place, also one that executes nothing: where its thread stands. So
// has what is learned from a join that is not passed.
// RUN: sapa check %s --threads 3 --dump-dir %t.d > /dev/null; cat %t.d/*-trace.txt | grep -c ' ?  '; true
// RUN: cat %t.d/*-predicates.txt | grep -c 'possible (?)'; true
// RUN: cat %t.d/*-predicates.txt | grep -o 'places.c:30:5' | sort -u
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_t last[1000];
int sum;

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first[3];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&first[i], 0, worker, 0);
    pthread_create(&last[999], 0, worker, 0);
    while (--i)
        pthread_join(first[i], 0);
    pthread_join(last[999], 0);
    assert(sum == 3);
}
