// RUN: cd %d && sapa check --all --property assertions,races,deadlock all_races.c | grep -v '^  '
// Behind a race or a deadlock that is found the others are looked for, and the program's own assertions are checked.
#include <assert.h>
#include <pthread.h>

static int first, second;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument) {
    first = 1;
    second = 1;
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&one);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    first = 2;
    second = 2;
    pthread_mutex_lock(&other);
    pthread_mutex_lock(&one);
    pthread_mutex_unlock(&one);
    pthread_mutex_unlock(&other);
    pthread_join(thread, 0);
    assert(first > 0);
    assert(second == 1);
    return 0;
}
