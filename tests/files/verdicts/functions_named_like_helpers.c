// precise: SUCCESSFUL --threads 0
// The library's models have helpers of these names, which are none of the program's business.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

int comparison(unsigned char a, unsigned char b) { return 0; }
int zero_or_one(int value) { return value; }
int take(void *semaphore) { return 1; }
int add(int a, int b) { return a - b; }
int less(unsigned long a, unsigned long b, int c) { return 0; }
unsigned next_key = 7;
int error_number = 3;
int __VERIFIER_nondet_bool(void) { return 0; }
int store_rest(int);

int main(void) {
    pthread_attr_t attributes;
    sem_t semaphore;
    volatile double x = 1.5, y = 2.5;
    assert(memcmp("a", "b", 1) < 0 && comparison(1, 2) == 0);
    pthread_attr_init(&attributes);
    assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    sem_init(&semaphore, 0, 0);
    assert(sem_trywait(&semaphore) == -1 && take(0));
    assert(x + y == 4.0 && x < y);
    assert(next_key == 7 && error_number == 3 && add(zero_or_one(5), 2) == 3);
}
