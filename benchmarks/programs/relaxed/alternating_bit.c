/* The alternating bit protocol. CUPEX Fig. 1
 *
 * Assertion: as many messages are received as sent, or one less.
 *
 *     sapa check alternating_bit.c --threads 2
 */
#include "fences.h"
#include <assert.h>
#include <pthread.h>

int message = 0, acknowledgement = 0;
unsigned __unbuffered_sent = 0, __unbuffered_received = 0;

void *sender(void *arg)
{
    int sent_bit = 0;

    while (1) {
        int seen = acknowledgement;

        if ((seen == 0 && sent_bit == 0) || (seen != 0 && sent_bit != 0)) {
            if (sent_bit != 0)
                sent_bit = 0;
            else
                sent_bit = 1;
            __unbuffered_sent++;
            assert(__unbuffered_received == __unbuffered_sent || __unbuffered_received + 1 == __unbuffered_sent);
            message = sent_bit;
            FENCE(0);
        }
    }
}

void *receiver(void *arg)
{
    int received_bit = 0;

    while (1) {
        int seen = message;

        if ((seen == 0 && received_bit != 0) || (seen != 0 && received_bit == 0)) {
            received_bit = seen;
            __unbuffered_received++;
            assert(__unbuffered_received == __unbuffered_sent || __unbuffered_received + 1 == __unbuffered_sent);
            acknowledgement = received_bit;
            FENCE(1);
        }
    }
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, sender, 0);
    pthread_create(&t, 0, receiver, 0);
}
