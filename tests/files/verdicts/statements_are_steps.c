// precise: FAILED --threads 2
// precise: SUCCESSFUL --threads 2 --atomicity statement
// An increment is two steps, or one where statements are.
#include <assert.h>
#include <pthread.h>

int x, done;

void *worker(void *unused) {
    x++;
    done++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_create(&thread, 0, worker, 0);
    int seen = done;
    assert(seen != 2 || x == 2);
}
