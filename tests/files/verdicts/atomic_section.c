// precise: SUCCESSFUL --threads 2
// Atomic sections are not interrupted.
#include <assert.h>
#include <pthread.h>

void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);
int x;

void *first(void *unused) {
    __CPROVER_atomic_begin();
    x = 1;
    x = 0;
    __CPROVER_atomic_end();
    return 0;
}

void *second(void *unused) {
    assert(x == 0);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
}
