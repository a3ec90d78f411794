// Three threads keep a request's number in thread-specific data; a function called later finds it there.
//
// Safe: each thread has a value of its own under the key, so it finds the number that it stored.
// Broken: the number is kept in a global variable, where another thread may overwrite it.
#include <assert.h>
#include <pthread.h>

#define THREADS 3

static int numbers[THREADS] = { 11, 22, 33 };

#ifdef BROKEN
static int *current;

static void set_request(int *number)
{
    current = number;
}

static int *get_request(void)
{
    return current;
}
#else
static pthread_key_t key;

static void set_request(int *number)
{
    pthread_setspecific(key, number);
}

static int *get_request(void)
{
    return pthread_getspecific(key);
}
#endif

static void *handle(void *arg)
{
    int *number = arg;
    set_request(number);
    assert(get_request() == number);
    assert(*get_request() % 11 == 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
#ifndef BROKEN
    pthread_key_create(&key, NULL);
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, handle, &numbers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
