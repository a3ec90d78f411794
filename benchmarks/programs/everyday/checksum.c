// Two threads compute a checksum of a message each, of shifts and exclusive ors; main compares them.
//
// Safe: both messages are the same text, and the checksum depends on the text alone.
// Broken: one message has two letters exchanged, and this checksum depends on their order.
#include <assert.h>
#include <pthread.h>

struct message {
    const char *text;
    unsigned sum;
};

static void *check(void *arg)
{
    struct message *message = arg;
    unsigned sum = 5381;
    for (const char *s = message->text; *s != '\0'; s++)
        sum = ((sum << 5) + sum) ^ (unsigned char)*s;
    message->sum = sum;
    return NULL;
}

int main(void)
{
    pthread_t sender, receiver;
    struct message sent = { "hello, world", 0 };
#ifdef BROKEN
    struct message received = { "hello, wolrd", 0 };
#else
    struct message received = { "hello, world", 0 };
#endif
    pthread_create(&sender, NULL, check, &sent);
    pthread_create(&receiver, NULL, check, &received);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    assert(sent.sum == received.sum);
    return 0;
}
