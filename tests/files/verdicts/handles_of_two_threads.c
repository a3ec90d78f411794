// precise: SUCCESSFUL --threads 1
// The second thread is created when the first has ended, so that no run has two equal handles; the
// abstraction does not know it, and the search of concrete states proves nothing of handles.
#include <pthread.h>

void *work(void *unused) { return 0; }

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    __CPROVER_assert(!pthread_equal(first, second), "two threads");
}
