// precise: SUCCESSFUL --threads 2
// A ticket lock as in operating systems: one word that is taken whole, served by halves.
#include <pthread.h>

union ticket_lock {
    unsigned word;
    struct {
        unsigned short owner, next;
    } half;
} lock;
int inside;

void *worker(void *unused) {
    unsigned taken = __atomic_fetch_add(&lock.word, 1u << 16, __ATOMIC_SEQ_CST);
    unsigned short ticket = taken >> 16;
    while (__atomic_load_n(&lock.half.owner, __ATOMIC_SEQ_CST) != ticket) {
    }
    inside++;
    __CPROVER_assert(inside == 1, "alone");
    inside--;
    __atomic_fetch_add(&lock.half.owner, 1, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
}
