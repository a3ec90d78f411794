// precise: FAILED --threads 1
// A semaphore cannot be larger than an int.
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    __CPROVER_assert(sem_init(&semaphore, 0, 0x80000000u) == 0, "that fails");
}
