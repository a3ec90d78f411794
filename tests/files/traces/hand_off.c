// A message is reused before it was read.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
typedef struct { int id; const char *text; struct { short x, y; } at; } message;
static message slots[2];
static message *_Atomic mailbox;
static void *sender(void *arg) {
    message *m = arg;
    m->id = 1; m->text = "one"; m->at.x = 4; m->at.y = -4;
    atomic_store(&mailbox, m);
    m->id = 2; m->text = "two";
    return arg;
}
int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, sender, &slots[1]);
    message *got = atomic_load(&mailbox);
    if (got) {
        message copy = *got;
        assert(copy.id == 1 && copy.text[0] == 'o');
    }
    pthread_join(t, &result);
}
