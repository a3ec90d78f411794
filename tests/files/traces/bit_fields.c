// A bit-field is written with all that share its integer: one thread takes back the other's flag.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>

struct state {
    unsigned ready : 1;
    int level : 5;
    unsigned closed : 1;
    unsigned : 1;
    int rest;
};
struct state state;

void *opener(void *unused)
{
    state.level = -3;
    state.ready = 1;
    return 0;
}

void *closer(void *unused)
{
    state.closed = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, opener, 0);
    pthread_create(&b, 0, closer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(state.ready && state.closed);
}
