// RUN: cd %d && sapa check --property deadlock deadlock_of_nested_initialisation.c
// EXIT: 5
// What `pthread_once` calls calls it again, so that it cannot be inlined: the place is that of the program's own call.
#include <pthread.h>
static pthread_once_t first = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;

static void start(void) {}
static void begin(void) { pthread_once(&second, start); }

int main(void) {
    pthread_once(&first, begin);
    return 0;
}
