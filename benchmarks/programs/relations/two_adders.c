// Two threads add different amounts until each has reached its bound; what both have added is in a total.
//
// Safe: each step adds the same to a part and to the total, under one lock. -DANY: any number of threads of both kinds.
// Broken: the second thread adds 3 and notes 2.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned by_two, by_three, total;

void *add_two(void *unused)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&lock);
        by_two += 2;
        total += 2;
        assert(total == by_two + by_three);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *add_three(void *unused)
{
    for (int i = 0; i < 33; i++) {
        pthread_mutex_lock(&lock);
        by_three += 3;
#ifdef BROKEN
        total += 2;
#else
        total += 3;
#endif
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&a, 0, add_two, 0);
        pthread_create(&b, 0, add_three, 0);
    }
#else
    pthread_create(&a, 0, add_two, 0);
    pthread_create(&b, 0, add_three, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(total == by_two + by_three);
#endif
    return 0;
}
