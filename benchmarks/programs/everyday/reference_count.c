// Two threads share an object on the heap that counts its references; who drops the last one frees it.
//
// Safe: the count is decremented atomically, so one thread sees it reach 0, and the object is freed once.
// Broken: the count is decremented and then read again, and both threads may see 0.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

static atomic_int frees;

static void drop(struct object *object)
{
#ifdef BROKEN
    atomic_fetch_sub(&object->references, 1);
    if (atomic_load(&object->references) == 0)
        frees++;
#else
    if (atomic_fetch_sub(&object->references, 1) == 1) {
        frees++;
        free(object);
    }
#endif
}

static void *use(void *arg)
{
    struct object *object = arg;
    assert(object->value == 7);
    drop(object);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    struct object *object = malloc(sizeof *object);
    if (object == NULL)
        return 1;
    object->references = 2;
    object->value = 7;
    pthread_create(&a, NULL, use, object);
    pthread_create(&b, NULL, use, object);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(frees == 1);
    return 0;
}
