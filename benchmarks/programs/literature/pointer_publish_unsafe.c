/* Publication by a pointer, unsafe. After the idiom of Boehm and Adve: Foundations of the C++ concurrency memory model (2008)
 *
 * Assertion: what the pointer shows is complete.
 * Bug: the pointer is set before what it shows.
 *
 *     sapa check pointer_publish_unsafe.c --threads 2
 */
#include <assert.h>
#include <pthread.h>

int cell = 0;
int other = 1;
int *shown = &other;
int sender = 0;

int __VERIFIER_nondet_int(void);

void *worker(void *arg)
{
    if (__VERIFIER_nondet_int()) {
        if (__sync_bool_compare_and_swap(&sender, 0, 1)) {
            shown = &cell;
            cell = 1;
        }
    } else {
        int *p = shown;

        assert(*p == 1);
    }
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
