// RUN: cd %d && sapa check --engine bounded -q recursion.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded -DBROKEN recursion.c 2>&1; echo $?
// RUN: cd %d && sapa check --engine bounded --unwind 1 -q recursion.c 2>&1; echo $?
// RUN: cd %d && sapa check -q recursion.c 2>&1; echo $?
// A tree is visited by two threads, recursively: the abstraction has no recursion.
#include <assert.h>
#include <pthread.h>

int visited;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void visit(int depth)
{
    if (depth == 0)
        return;
    pthread_mutex_lock(&lock);
    visited++;
    pthread_mutex_unlock(&lock);
    visit(depth - 1);
    visit(depth - 1);
}

void *worker(void *argument)
{
    visit(2);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    visit(2);
    pthread_join(thread, 0);
#ifdef BROKEN
    assert(visited != 6);
#else
    assert(visited == 6);
#endif
    return 0;
}
