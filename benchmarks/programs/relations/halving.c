// A number is looked for by halving an interval, while another thread looks for another number.
//
// Safe: the middle is within the interval. -DANY: any number of threads look for numbers.
// Broken: the middle is taken one too high, so that it may be the end.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

void *look(void *unused)
{
    int size = __VERIFIER_nondet_int(), wanted = __VERIFIER_nondet_int();
    int low = 0, high = size;
    while (low < high) {
#ifdef BROKEN
        int middle = low + (high - low) / 2 + 1;
#else
        int middle = low + (high - low) / 2;
#endif
        assert(middle >= 0 && middle < size);
        if (middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef ANY
    while (__VERIFIER_nondet_int())
#endif
        pthread_create(&thread, 0, look, 0);
    look(0);
    return 0;
}
