// The flag says that the data is there before it is.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct settings {
    int size;
    char separator;
};
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
struct settings *settings;

struct settings *get(void)
{
    if (!settings) {
        pthread_mutex_lock(&guard);
        if (!settings) {
            struct settings *fresh = malloc(sizeof *fresh);
            settings = fresh;
            fresh->size = 80;
            fresh->separator = ',';
        }
        pthread_mutex_unlock(&guard);
    }
    return settings;
}

void *user(void *unused)
{
    get();
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, user, 0);
    if (settings)
        assert(settings->size == 80);
    pthread_join(thread, 0);
}
