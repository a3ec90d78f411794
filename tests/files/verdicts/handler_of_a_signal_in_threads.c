// precise: SUCCESSFUL --threads 2
// precise: INCONCLUSIVE --threads 2 -DPARTS
// Where there are several threads a handler runs in any of them, step by step; the thread that it interrupts does not see
// parts of it, so that no failure rests on them.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

volatile sig_atomic_t stop, also;
int done;

void on_interrupt(int number) {
    stop = 1;
    also = 1;
}

void *work(void *unused) {
    done = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    signal(SIGTERM, on_interrupt);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(done == 1);
#ifdef PARTS
    int is_also = also, is_stop = stop;
    assert(!is_also || is_stop);
    assert(stop == also);
#endif
}
