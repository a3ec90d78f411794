// precise: SUCCESSFUL --threads 1
// A variable that starts with 0 holds no thread's handle.
#include <pthread.h>

pthread_t owner;

int main(void) {
    __CPROVER_assert(owner != pthread_self(), "nobody owns it");
    __CPROVER_assert(!pthread_equal(owner, pthread_self()), "nobody owns it");
}
