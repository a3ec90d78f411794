// Two threads print a line each into a log of two lines, with snprintf.
//
// Safe: a line's number is taken under the mutex, so both lines are there in the end, in one order or the other.
// Broken: the number is taken without the mutex; both may write the same line, and the other one stays empty.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 16

static char lines[2][WIDTH];
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void log_line(const char *who, int code)
{
    int line;
#ifdef BROKEN
    line = used;
    used = line + 1;
#else
    pthread_mutex_lock(&lock);
    line = used++;
    pthread_mutex_unlock(&lock);
#endif
    snprintf(lines[line], WIDTH, "%s: %d", who, code);
}

static void *open_file(void *arg)
{
    (void)arg;
    log_line("open", 3);
    return NULL;
}

static void *close_file(void *arg)
{
    (void)arg;
    log_line("close", 12);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, open_file, NULL);
    pthread_create(&b, NULL, close_file, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef BROKEN
    (void)lock;
#endif
    int in_order = strcmp(lines[0], "open: 3") == 0 && strcmp(lines[1], "close: 12") == 0;
    int reversed = strcmp(lines[0], "close: 12") == 0 && strcmp(lines[1], "open: 3") == 0;
    assert(in_order || reversed);
    return 0;
}
