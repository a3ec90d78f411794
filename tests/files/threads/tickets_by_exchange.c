// RUN: sapa check -q --timeout 100 %s | tail -1
// RUN: sapa check -q --timeout 100 -DAFTER %s | tail -1
// Tickets are drawn by compare-and-exchange in a function that returns -1 where there are none left: what it returns is the number that was
// tried, or one more (-DAFTER). The number has a name where it is drawn and others where it is passed on, which are one variable to predicates.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define TICKETS 1000000
#ifdef AFTER
#define FIRST 1
#else
#define FIRST 0
#endif

atomic_int drawn, serving = FIRST;
int counter;

static int draw(void)
{
    int number = atomic_load(&drawn);
    do {
        if (number >= TICKETS)
            return -1;
    } while (!atomic_compare_exchange_strong(&drawn, &number, number + 1));
    return number + FIRST;
}

static void *customer(void *unused)
{
    int ticket = draw();
    if (ticket < 0)
        return unused;
    while (atomic_load(&serving) != ticket)
        ;
    counter = ticket;
    assert(counter == ticket);
    atomic_store(&serving, ticket + 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, customer, 0);
}
