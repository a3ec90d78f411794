// precise: SUCCESSFUL
// precise: FAILED -DRACY
// Loggers for any number of threads, one of which wraps the other.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_inside;

static void log_list(int level, const char *format, va_list list)
{
#ifndef RACY
    pthread_mutex_lock(&mutex);
#endif
    assert(!is_inside);
    is_inside = 1;
    if (level > va_arg(list, int))
        vfprintf(stderr, format, list);
    is_inside = 0;
#ifndef RACY
    pthread_mutex_unlock(&mutex);
#endif
}

static void log_at(int level, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    log_list(level, format, list);
    va_end(list);
}

static void *logs(void *argument)
{
    log_at(3, "%d is %s\n", 2, "small");
    return argument;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, logs, 0);
}
