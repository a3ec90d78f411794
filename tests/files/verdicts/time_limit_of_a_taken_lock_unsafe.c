// precise: FAILED --threads 0
// Where there is something to wait for, the time may be over.
#define _GNU_SOURCE
#include <semaphore.h>
#include <time.h>

int main(void) {
    struct timespec limit = {0, 0};
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    __CPROVER_assert(sem_timedwait(&semaphore, &limit) == 0, "the semaphore is down");
}
