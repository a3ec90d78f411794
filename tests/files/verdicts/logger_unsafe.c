// precise: FAILED --threads 2
// Two threads append lines to a log without a lock, so that one line may be printed over the other.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

char text[32];
size_t length;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void report(const char *who, int value) {
    length += (size_t)snprintf(text + length, sizeof text - length, "%s=%03d\n", who, value);
}

void *first(void *unused) { report("a", 7); return 0; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, first, 0);
    report("main", 42);
    pthread_join(thread, 0);
    assert(length == 15);
    assert(!strcmp(text, "a=007\nmain=042\n") || !strcmp(text, "main=042\na=007\n"));
}
