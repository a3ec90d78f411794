// precise: SUCCESSFUL --threads 1
// precise: FAILED --threads 1 -DRACY
// NOTE assuming that no format of `vsnprintf` has a `%n`
// NOTE what `vsnprintf` prints for floating-point numbers, pointers and wide characters is any text
// A logger hands its arguments on; the state does not depend on what it prints.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

char line[4];
int lines, inside;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void report(const char *format, ...) {
    va_list arguments;
#ifndef RACY
    pthread_mutex_lock(&lock);
#endif
    assert(!inside);
    inside = 1;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    lines++;
    inside = 0;
#ifndef RACY
    pthread_mutex_unlock(&lock);
#endif
}

void *worker(void *unused) {
    report("%d of %s", 1, "two");
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    report("main");
    pthread_join(thread, 0);
    assert(lines == 2);
}
