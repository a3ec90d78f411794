// Readers are counted, a writer is noted: they keep each other out.
//
// Safe: there is no reader where somebody writes, and never more than one writes. -DANY: any number of threads.
// Broken: a writer does not look at the readers where it has waited once.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int readers, writers;

void *reader(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (writers > 0) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
        }
        readers++;
        pthread_mutex_unlock(&lock);

        pthread_mutex_lock(&lock);
        assert(readers > 0 && writers == 0);
        readers--;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

void *writer(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef BROKEN
        if (readers > 0 || writers > 0) {
#else
        while (readers > 0 || writers > 0) {
#endif
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
        }
        writers++;
        pthread_mutex_unlock(&lock);

        pthread_mutex_lock(&lock);
        assert(readers == 0 && writers == 1);
        writers--;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, reader, 0);
        pthread_create(&thread, 0, writer, 0);
    }
#else
    pthread_create(&thread, 0, reader, 0);
    pthread_create(&thread, 0, reader, 0);
    pthread_create(&thread, 0, writer, 0);
#endif
    return 0;
}
