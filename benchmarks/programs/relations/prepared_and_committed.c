// A commit in two phases: prepared ones are committed or undone.
//
// Safe: what is prepared is what was committed, undone, or is still open, and open ones are between 0 and 30. -DANY: any number.
// Broken: undoing does not look whether one is open.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned prepared, committed, undone;
int open_now;

void *prepare(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (open_now < 30) {
            open_now++;
            prepared++;
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *finish(void *unused)
{
    for (;;) {
        int good = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (open_now > 0 || !good) {
#else
        if (open_now > 0) {
#endif
            open_now--;
            if (good)
                committed++;
            else
                undone++;
        }
        assert(open_now >= 0);
        assert(prepared - committed - undone == (unsigned)open_now);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, prepare, 0);
        pthread_create(&thread, 0, finish, 0);
    }
#else
    pthread_create(&thread, 0, prepare, 0);
    pthread_create(&thread, 0, finish, 0);
    pthread_create(&thread, 0, finish, 0);
#endif
    return 0;
}
