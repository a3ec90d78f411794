// EXIT: 10
// check: the lifetime of config ends
// check-not: heap#
// check: VERIFICATION FAILED
// RUN: sapa check --property pointers %s
// A local whose address outlives its call keeps its name.
#include <pthread.h>

struct config {
    int port;
};
static int seen;

static void *serve(void *argument)
{
    struct config *config = argument;
    seen = config->port;
    return 0;
}

static void start(pthread_t *thread)
{
    struct config config;
    config.port = 80;
    pthread_create(thread, 0, serve, &config);
}

int main(void)
{
    pthread_t thread;
    start(&thread);
    pthread_join(thread, 0);
    return 0;
}
