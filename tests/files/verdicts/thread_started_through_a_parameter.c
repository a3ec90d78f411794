// precise: SUCCESSFUL --threads 2
// What is started is a parameter, or a member behind a star.
#include <assert.h>

int x, done;

void one(void) { done = 1; }
void two(int n) { x = 3; }

void start(void (*t)(void))
{
    __CPROVER_ASYNC_1: t();
}

struct job { void (*run)(int); };

int main(void)
{
    struct job job = {two};
    start(one);
    __CPROVER_ASYNC_2: (*job.run)(3);
    int found = x;
    assert(found != 1);
    assert(done <= 1);
}
