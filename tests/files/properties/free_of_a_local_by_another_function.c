// precise: SUCCESSFUL --property pointers
// precise: FAILED --property pointers -DLOCAL
// precise: FAILED --property pointers -DVARIABLE_LENGTH
// precise: FAILED --property pointers -DSTRUCTURE
// What a function frees is a parameter: a buffer on the heap, or, where it is broken, a local of the function that calls it.
#include <pthread.h>
#include <stdlib.h>
_Bool __VERIFIER_nondet_bool(void);

struct buffer {
    char *bytes, some[4];
};

static void release(void *memory) { free(memory); }

static void finish(struct buffer *buffer) {
#ifndef STRUCTURE
    if (buffer->bytes != buffer->some)
#endif
        release(buffer->bytes);
}

static void *work(void *argument) {
    struct buffer buffer;
    unsigned long size = (unsigned long)argument;
    buffer.bytes = size <= sizeof buffer.some ? buffer.some : malloc(size);
    buffer.bytes[0] = 1;
    finish(&buffer);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)3);
    work((void *)8);
    pthread_join(thread, 0);
    void *object = malloc(4);
    int number;
    unsigned length = __VERIFIER_nondet_bool() ? 2 : 3;
    char array[length];
#ifdef LOCAL
    release(&number);
#endif
#ifdef VARIABLE_LENGTH
    release(array);
#endif
    release(object);
    return 0;
}
