// RUN: cd %d && sapa check --engine bounded -q before_the_first_object.c
// RUN: cd %d && sapa check --engine bounded -q -DNOT_THERE before_the_first_object.c; echo $?
// What main takes from the stack is what the threads have put there: as long as it is not known that they
// write the number of elements, it looks as if main read the element before the first one, and the stack
// is the first object. A number that is cast to a pointer may be anywhere there (NOT_THERE).
#include <assert.h>
#include <pthread.h>

int stack[4], elements;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    stack[elements] = 1;
    elements++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_mutex_lock(&lock);
    int top = stack[--elements];
    pthread_mutex_unlock(&lock);
    assert(top == 1);
#ifdef NOT_THERE
    assert(*(int *)0xfffffffffffc == 1);
#endif
}
