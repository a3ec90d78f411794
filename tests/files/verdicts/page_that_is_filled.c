// precise: FAILED
// precise: FAILED --mm tso
// A page of bytes is filled by threads that lock, and read by others that do not: any number of both. Runs of few rounds
// see nothing, the page has too many states to go through, and runs at random see it soon.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
enum { PAGE = 4096 };
char page[PAGE];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *fill(void *arg) {
    char with = __VERIFIER_nondet_char();
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < PAGE; i++) page[i] = with;
    pthread_mutex_unlock(&mutex);
    return 0;
}

void *look(void *arg) {
    unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();
    if (i >= PAGE || j >= PAGE) abort();
    char first = page[i];
    assert(first == page[j]);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;) {
        pthread_create(&thread, 0, fill, 0);
        pthread_create(&thread, 0, look, 0);
    }
}
