// precise: SUCCESSFUL --threads 0
// Where each mutex is of the default kind, a thread waits for itself for ever.
#include <threads.h>

mtx_t mutex;

int main(void) {
    mtx_init(&mutex, mtx_plain);
    mtx_lock(&mutex);
    mtx_lock(&mutex);
    __CPROVER_assert(0, "this is not reached");
}
