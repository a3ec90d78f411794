// A fence behind either of two stores will do. Where a patch cannot be written, those that were there stay as they were.
// RUN: cd %d && sapa fences --mm pso two_sets.c | grep -v '^   '
// RUN: mkdir -p %t/fences-2.patch && echo mine > %t/fences-1.patch; cd %d && sapa fences --mm pso -q two_sets.c --patch %t > /dev/null 2>&1 || echo "exit $?"
// RUN: cat %t/fences-1.patch; rm %t/fences-1.patch; cd %d && sapa fences --mm pso -q two_sets.c --patch %t > /dev/null 2>&1 || echo "exit $?"
// RUN: ls %t
#include <assert.h>
#include <pthread.h>

int data = 0, other = 0, ready = 0;

void *sender(void *arg)
{
    data = 42;
    other = 1;
    ready = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
    if (ready)
        assert(data == 42);
}
