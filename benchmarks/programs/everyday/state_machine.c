// A connection's state machine: one thread opens and closes it, another sends while it is open.
//
// Safe: the state is read and the message counted under one lock, and a closed connection counts none.
// Broken: the state is read under the lock, which is released before the message is counted.
#include <assert.h>
#include <pthread.h>

enum state { IDLE, OPEN, CLOSED };

static enum state state = IDLE;
static int sent_after_close;
static int sent;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void step(enum state from, enum state to)
{
    pthread_mutex_lock(&lock);
    assert(state == from);
    state = to;
    pthread_mutex_unlock(&lock);
}

static void *control(void *arg)
{
    (void)arg;
    step(IDLE, OPEN);
    step(OPEN, CLOSED);
    return NULL;
}

static void *send_messages(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        if (state == OPEN) {
#ifdef BROKEN
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
#endif
            sent++;
            if (state == CLOSED)
                sent_after_close++;
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t controller, sender;
    pthread_create(&controller, NULL, control, NULL);
    pthread_create(&sender, NULL, send_messages, NULL);
    pthread_join(controller, NULL);
    pthread_join(sender, NULL);
    assert(sent <= 3);
    assert(sent_after_close == 0);
    return 0;
}
