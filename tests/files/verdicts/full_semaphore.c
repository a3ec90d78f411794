// precise: SUCCESSFUL --threads 0
// A semaphore has a largest value.
#include <errno.h>
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    int value;
    sem_init(&semaphore, 0, 0x7ffffffe);
    __CPROVER_assert(sem_post(&semaphore) == 0, "one is left");
    __CPROVER_assert(sem_post(&semaphore) == -1 && errno == EOVERFLOW, "none is left");
    sem_getvalue(&semaphore, &value);
    __CPROVER_assert(value == 0x7fffffff, "unchanged");
}
