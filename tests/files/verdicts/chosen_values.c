// Values that are chosen go through memory that threads share: what happens depends on the orders of steps, hardly on the values.
// precise: SUCCESSFUL
// precise: FAILED -DLOST
// precise: SUCCESSFUL -DINDEX
// precise: FAILED -DINDEX -DSAME
// precise: SUCCESSFUL -DBYTES
// precise: FAILED -DBYTES -DSWAPPED
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#if defined INDEX
// Two threads write to places that are chosen.
static int table[8];
static unsigned at[2];
static int value[2];

static void *run(void *arg)
{
    int me = (int)(long)arg;
    pthread_mutex_lock(&lock);
    table[at[me]] += value[me];
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) {
        at[i] = __VERIFIER_nondet_uint() % 8;
        value[i] = __VERIFIER_nondet_int();
    }
#ifndef SAME
    if (at[0] == at[1])
        return 0;
#endif
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, run, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(table[at[0]] == value[0] && table[at[1]] == value[1]);
    return 0;
}
#elif defined BYTES
// A word is copied by bytes, and put together again.
static unsigned char bytes[4];

static void *run(void *arg)
{
    unsigned *word = arg;
    pthread_mutex_lock(&lock);
    memcpy(bytes, word, sizeof bytes);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    unsigned word = __VERIFIER_nondet_uint(), low, again;
    pthread_create(&t, 0, run, &word);
    pthread_join(t, 0);
    low = bytes[0];
#ifdef SWAPPED
    bytes[0] = bytes[1];
#endif
    memcpy(&again, bytes, sizeof again);
    assert(again == word && low == (word & 255));
    return 0;
}
#else
// Two threads hand on four values through a ring: the sum of what arrives is that of what was sent.
static int ring[4], put, taken, in[4], out[2];

static void *sender(void *arg)
{
    int from = 2 * (int)(long)arg;
    for (int i = from; i < from + 2; i++) {
        pthread_mutex_lock(&lock);
        ring[put++] = in[i];
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *receiver(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 2;) {
        pthread_mutex_lock(&lock);
        if (taken < put) {
#ifdef LOST
            out[me] = ring[taken++];
#else
            out[me] += ring[taken++];
#endif
            i++;
        }
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t s[2], r[2];
    for (int i = 0; i < 4; i++)
        in[i] = __VERIFIER_nondet_int();
    for (long i = 0; i < 2; i++) {
        pthread_create(&s[i], 0, sender, (void *)i);
        pthread_create(&r[i], 0, receiver, (void *)i);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(s[i], 0);
        pthread_join(r[i], 0);
    }
    assert((unsigned)out[0] + out[1] == (unsigned)in[0] + in[1] + in[2] + in[3]);
    return 0;
}
#endif
